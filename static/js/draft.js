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

import { before } from "./format.js";

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
  const front = before(text);
  return { text: front + pattern, shapes: [...shapes, { ...shape, start: front.length, end: front.length + pattern.length }] };
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

/** The rate at which steady patterns send in each cell, in requests a second.
 * One that is not on the cells counts as far as it lies in one.
 * @param {Shape[]} shapes @param {number} cell in microseconds @param {number} cells
 * @returns {number[]} */
export function ratesOf(shapes, cell, cells) {
  const out = new Array(cells).fill(0);
  for (const s of shapes) {
    if (s.kind !== "steady") continue;
    const { at, to = 0, rate = 0, per = second } = s;
    for (let c = Math.floor(at / cell); c < Math.min(cells, to / cell); c++) {
      const part = (Math.min(to, (c + 1) * cell) - Math.max(at, c * cell)) / cell;
      out[c] += (rate * second * part) / per;
    }
  }
  return out;
}

/** @param {number} rate @param {number} at @param {number} to
 * @returns {[pattern: string, shape: Omit<Shape, "start" | "end">]} */
const steady = (rate, at, to) => [
  `${rate}/s ${timeText(at)}..${timeText(to)}`,
  { kind: "steady", at, to, rate, per: second, n: Math.ceil(((to - at) * rate) / 1e6), rest: "" },
];

/** Paints cells at a rate; 0 erases. Painted patterns are cut where they touch
 * the cells, and one beside them of the same rate grows; all else stays.
 * @param {Drawn} d @param {number} cell
 * @param {number} from the first cell @param {number} last @param {number} rate
 * @returns {Drawn} */
export function paint(d, cell, from, last, rate) {
  let lo = from * cell;
  let hi = (last + 1) * cell;
  let out = d;
  for (let i = d.shapes.length - 1; i >= 0; i--) {
    const { at, to = 0, rate: was = 0 } = out.shapes[i];
    if (!painted(out.shapes[i], cell) || to <= lo || at >= hi) continue;
    if (at < lo) {
      const [pattern, shape] = steady(was, at, lo);
      out = put(out, i, shape, pattern);
      if (to > hi) out = append(out, ...steady(was, hi, to));
    } else if (to > hi) {
      const [pattern, shape] = steady(was, hi, to);
      out = put(out, i, shape, pattern);
    } else {
      out = remove(out, i);
    }
  }
  if (rate === 0) return out;
  for (;;) {
    const beside = out.shapes.findIndex((s) => painted(s, cell) && s.rate === rate && (s.to === lo || s.at === hi));
    if (beside < 0) break;
    const { at, to = 0 } = out.shapes[beside];
    lo = Math.min(lo, at);
    hi = Math.max(hi, to);
    out = remove(out, beside);
  }
  return append(out, ...steady(rate, lo, hi));
}
