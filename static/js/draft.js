// The draft: the text of the notation, which is what one is about to send, and
// what drawing makes of it. Pure functions of text and shapes, tested in Node;
// the grammar itself is the server's.

/**
 * A pattern that stands at text.slice(start, end); see web/notation.go. Times are
 * whole microseconds after sending.
 * @typedef {{start: number, end: number, kind: string, at: number, to?: number,
 *   rate?: number, per?: number, n: number, rest?: string}} Shape
 */

/** A text and its shapes after a change.
 * @typedef {{text: string, shapes: Shape[]}} Drawn */

const second = 1e9; // nanoseconds

/** The rates that painting offers, in requests a second. */
export const rates = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/** The most requests of a burst that is drawn. */
const most = 99_999;

/** A time in the notation. @param {number} us */
export const timeText = (us) => `${us / 1e6}s`;

/** @param {number} n @param {number} at @param {string} [rest] */
export const burstText = (n, at, rest = "") => `${n}@${timeText(at)}${rest}`;

/** A round step for moving by hand: a hundredth of a span.
 * @param {number} span */
export const stepOf = (span) => Math.max(1000, Math.round(span / 100 / 1000) * 1000);

/** Puts another pattern in the place of one; what follows moves along.
 * @param {Drawn} d @param {number} i @param {Partial<Shape>} change @param {string} pattern
 * @returns {Drawn} */
function put({ text, shapes }, i, change, pattern) {
  const old = shapes[i];
  const by = pattern.length - (old.end - old.start);
  return {
    text: text.slice(0, old.start) + pattern + text.slice(old.end),
    shapes: shapes.map((s, j) => {
      if (j === i) return { ...s, ...change, end: s.end + by };
      return s.start >= old.end ? { ...s, start: s.start + by, end: s.end + by } : s;
    }),
  };
}

/** Moves a burst to a time, or makes it another number.
 * @param {Drawn} d @param {number} i @param {{at?: number, n?: number}} to
 * @returns {Drawn} */
export function shapeBurst(d, i, to) {
  const s = d.shapes[i];
  const at = Math.max(0, Math.round(to.at ?? s.at));
  const n = Math.min(most, Math.max(1, Math.round(to.n ?? s.n)));
  return put(d, i, { at, n }, burstText(n, at, s.rest));
}

/** Takes a pattern out, with one separator beside it.
 * @param {Drawn} d @param {number} i
 * @returns {Drawn} */
export function remove({ text, shapes }, i) {
  let { start, end } = shapes[i];
  const after = /^[ \t]*;[ \t]*/.exec(text.slice(end));
  const before = /;[ \t]*$/.exec(text.slice(0, start));
  if (after) end += after[0].length;
  else if (before) start -= before[0].length;
  const by = start - end;
  return {
    text: text.slice(0, start) + text.slice(end),
    shapes: shapes.filter((_, j) => j !== i).map((s) => (s.start >= end ? { ...s, start: s.start + by, end: s.end + by } : s)),
  };
}

/** Adds a pattern at the end.
 * @param {Drawn} d @param {string} pattern @param {Omit<Shape, "start" | "end">} shape
 * @returns {Drawn} */
export function append({ text, shapes }, pattern, shape) {
  const kept = text.replace(/\s+$/, "");
  const last = kept.slice(kept.lastIndexOf("\n") + 1);
  // Behind a comment only a new line begins a pattern.
  const between = kept === "" || kept.endsWith(";") ? (kept === "" ? "" : " ") : last.includes("#") ? "\n" : "; ";
  const start = kept.length + between.length;
  return { text: kept + between + pattern, shapes: [...shapes, { ...shape, start, end: start + pattern.length }] };
}

/** @param {Drawn} d @param {number} n @param {number} at
 * @returns {Drawn} */
export function addBurst(d, n, at) {
  const to = Math.max(0, Math.round(at));
  return append(d, burstText(n, to), { kind: "burst", at: to, n, rest: "" });
}

/** Whether a steady pattern could have been painted on these cells: a rate a
 * second from cell to cell, with nothing behind it.
 * @param {Shape} s @param {number} cell */
const painted = (s, cell) =>
  s.kind === "steady" && !s.rest && s.per === second && s.at % cell === 0 && (s.to ?? 0) % cell === 0;

/** The painted rate of each cell; the highest where several are.
 * @param {Shape[]} shapes @param {number} cell in microseconds @param {number} cells
 * @returns {number[]} */
export function paintOf(shapes, cell, cells) {
  const out = new Array(cells).fill(0);
  for (const s of shapes) {
    if (!painted(s, cell)) continue;
    for (let c = s.at / cell; c < Math.min(cells, (s.to ?? 0) / cell); c++) out[c] = Math.max(out[c], s.rate ?? 0);
  }
  return out;
}

/** Paints cells at a rate; 0 erases. Painted patterns that touch the cells are
 * written anew, neighbours of the same rate as one; all else stays.
 * @param {Drawn} d @param {number} cell @param {number} cells
 * @param {number} from the first cell @param {number} to the last @param {number} rate
 * @returns {Drawn} */
export function paint(d, cell, cells, from, to, rate) {
  const painting = paintOf(d.shapes, cell, cells);
  for (let c = from; c <= to; c++) painting[c] = rate;
  let out = d;
  for (let i = d.shapes.length - 1; i >= 0; i--) {
    const s = d.shapes[i];
    // What goes beyond the cells is not theirs.
    if (painted(s, cell) && (s.to ?? 0) <= cell * cells) out = remove(out, i);
  }
  for (let c = 0; c < cells; ) {
    let end = c + 1;
    while (end < cells && painting[end] === painting[c]) end++;
    if (painting[c] > 0 && !beyond(d.shapes, cell, cells, c)) {
      const at = c * cell;
      const shape = { kind: "steady", at, to: end * cell, rate: painting[c], per: second, n: Math.ceil(((end - c) * cell * painting[c]) / 1e6), rest: "" };
      out = append(out, `${painting[c]}/s ${timeText(at)}..${timeText(end * cell)}`, shape);
    }
    c = end;
  }
  return out;
}

/** Whether a pattern that goes on beyond the cells has painted a cell.
 * @param {Shape[]} shapes @param {number} cell @param {number} cells @param {number} c */
const beyond = (shapes, cell, cells, c) =>
  shapes.some((s) => painted(s, cell) && (s.to ?? 0) > cell * cells && s.at <= c * cell);
