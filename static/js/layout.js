// Where things stand on the time line: pure functions of numbers, tested in
// Node. Times are microseconds of lab time, distances CSS pixels.

/**
 * The part of time that is on screen.
 * @typedef {object} View
 * @property {number} end  the time at the right edge
 * @property {number} span how much time is shown
 * @property {number} width in pixels
 */

/** Microseconds a pixel. @param {View} v */
export const scale = (v) => v.span / v.width;

/** @param {View} v @param {number} at */
export const xOf = (v, at) => v.width - (v.end - at) / scale(v);

/** @param {View} v @param {number} x */
export const timeAt = (v, x) => v.end - (v.width - x) * scale(v);

/** The parts of the view that lie ahead of now and, at the beginning, before 0. */
const ahead = 0.08;
const before = 0.03;

/** The right edge of a view that follows now: a little ahead of it. Until so
 * much time has passed the view starts at 0, and the picture grows to the right.
 * @param {number} now
 * @param {number} span */
export const following = (now, span) => Math.max(span * (1 - before), now + span * ahead);

/** The edges of windows in view that begin at whole multiples of a length; none
 * when they are closer than least pixels, where they would say nothing.
 * @param {View} v @param {number} length in microseconds @param {number} least
 * @returns {number[]} */
export function edges(v, length, least) {
  /** @type {number[]} */
  const out = [];
  if (length / scale(v) < least) return out;
  const first = Math.max(0, Math.ceil((v.end - v.span) / length));
  for (let n = first; n * length <= v.end; n++) out.push(n * length);
  return out;
}

/** The spans that the zoom offers, in microseconds. */
export const spans = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600].map((s) => s * 1e6);

/** The next round span that shows more, or with by below 0 less.
 * @param {number} span @param {number} by */
export function nextSpan(span, by) {
  // A span that has been zoomed to by hand is hardly ever round itself.
  const next = by > 0 ? spans.find((s) => s > span * 1.001) : spans.findLast((s) => s < span * 0.999);
  return next ?? (by > 0 ? spans[spans.length - 1] : spans[0]);
}

/** A span within what the zoom offers. @param {number} span */
export const heldSpan = (span) => Math.min(spans[spans.length - 1], Math.max(spans[0], span));

/** A span in words: "1.25 s". @param {number} span */
export const spanText = (span) => `${+(span / 1e6).toPrecision(3)}\u00a0s`;

/** The least round span that shows everything from 0 to now.
 * @param {number} now */
export const wholeSpan = (now) => spans.find((s) => s * (1 - before) >= now && following(now, s) - s <= 0) ?? spans[spans.length - 1];

/** The first index in [lo, hi) whose value is not below what is sought.
 * @param {(i: number) => number} value non-decreasing
 * @param {number} lo
 * @param {number} hi
 * @param {number} sought */
export function lowerBound(value, lo, hi, sought) {
  while (lo < hi) {
    const mid = Math.floor((lo + hi) / 2);
    if (value(mid) < sought) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}

/** The row of a request that found no place: it is drawn as part of a bar. */
export const crowded = 255;

/**
 * Places marks so that none covers another, in the order of their times: each
 * goes to the lowest row that is free at its x; when none is, to the row that
 * is free first, a little to the right. A burst at one instant so becomes a
 * block of marks. One that would have to move too far is crowded.
 *
 * The rows depend on what came before and never on what is on screen, so a mark
 * keeps its place while the view scrolls.
 */
export class Placer {
  /** @param {number} cell  size of a mark with its margin
   * @param {number} rows
   * @param {number} reach how far a mark may move, in cells */
  constructor(cell, rows, reach) {
    this.cell = cell;
    this.reach = reach * cell;
    /** Where each row is free again. */
    this.free = new Float64Array(Math.max(1, rows)).fill(-Infinity);
    /** What the last place said: the row, and the distance moved. */
    this.row = 0;
    this.moved = 0;
    /** Up to where all are crowded. */
    this.full = -Infinity;
  }

  /** @param {number} x not below the one before */
  place(x) {
    if (x < this.full) {
      this.row = crowded;
      this.moved = 0;
      return;
    }
    let best = 0;
    for (let r = 0; r < this.free.length; r++) {
      if (this.free[r] <= x) {
        best = r;
        break;
      }
      if (this.free[r] < this.free[best]) best = r;
    }
    const at = Math.max(x, this.free[best]);
    this.moved = at - x;
    if (this.moved > this.reach) {
      this.row = crowded;
      this.moved = 0;
      this.full = at - this.reach;
      return;
    }
    this.row = best;
    this.free[best] = at + this.cell;
  }
}

/** What is known of a column: the requests that came in it, from slot lo on and
 * before hi, and what each lane said of them.
 * @typedef {object} Column
 * @property {number} bin its number, from time 0
 * @property {number} lo
 * @property {number} hi
 * @property {number} at when the first came
 * @property {boolean} differ whether the lanes differ on one of them
 * @property {boolean} crowded whether one of them found no place
 * @property {number[]} into the columns into which their marks have moved
 * @property {Uint32Array} counts by lane and verdict
 */

/**
 * Columns of one width, counted as requests come: what has passed is counted
 * once, however often it is drawn.
 */
export class Columns {
  /** @param {number} width of a column, in time @param {number} lanes */
  constructor(width, lanes) {
    this.width = width;
    this.lanes = lanes;
    /** In the order of time. @type {Column[]} */
    this.all = [];
  }

  /** Counts the next request.
   * @param {number} slot @param {number} at @param {number} row @param {number} moved in time
   * @param {boolean} differ
   * @param {ArrayLike<number>} verdict what the lanes said, from a place on
   * @param {number} from */
  add(slot, at, row, moved, differ, verdict, from) {
    const bin = Math.floor(at / this.width);
    let column = this.all[this.all.length - 1];
    if (!column || column.bin !== bin) {
      column = { bin, lo: slot, hi: slot, at, differ: false, crowded: false, into: [], counts: new Uint32Array(this.lanes * verdicts) };
      this.all.push(column);
    }
    column.hi = slot + 1;
    column.differ ||= differ;
    column.crowded ||= row === crowded;
    if (moved > 0) {
      const into = Math.floor((at + moved) / this.width);
      if (into !== bin && !column.into.includes(into)) column.into.push(into);
    }
    const { counts } = column;
    for (let lane = 0; lane < this.lanes; lane++) counts[lane * verdicts + verdict[from + lane]]++;
  }

  /** Forgets what lies before a slot. @param {number} head */
  drop(head) {
    let n = 0;
    while (n < this.all.length && this.all[n].hi <= head) n++;
    if (n > 0) this.all.splice(0, n);
  }

  /** The columns from one time on and before another.
   * @param {number} from @param {number} to
   * @returns {Column[]} */
  between(from, to) {
    const bin = (/** @type {number} */ i) => this.all[i].bin;
    const lo = lowerBound(bin, 0, this.all.length, Math.floor(from / this.width));
    const hi = lowerBound(bin, lo, this.all.length, Math.floor(to / this.width) + 1);
    return this.all.slice(lo, hi);
  }
}

/** How many verdicts there are, that of a lane that was not there among them. */
export const verdicts = 5;

/** Of columns that follow each other those that are too full for marks: those
 * that hold a crowded request, and those from which a mark has moved into such a
 * column.
 * @param {Column[]} columns in the order of time
 * @param {number} next the first column's number in which nothing can have come yet
 * @returns {(Column & {free: number})[]} with how many columns after it are empty */
export function full(columns, next) {
  const out = [];
  const tight = new Set();
  for (let i = columns.length - 1; i >= 0; i--) {
    const column = columns[i];
    if (column.crowded || column.into.some((bin) => tight.has(bin))) {
      tight.add(column.bin);
      out.push({ ...column, free: Math.max(0, next - column.bin - 1) });
    }
    next = column.bin;
  }
  return out.reverse();
}

/** Heights of a bar's parts, from the bottom: proportional to their counts, but
 * none that counts anything is thinner than thin. Their sum is the height that
 * total/most of the track gives, unless the thin ones need more.
 * @param {ArrayLike<number>} counts
 * @param {number} most  the count that fills the track
 * @param {number} height of the track
 * @param {number} thin
 * @param {number[]} out */
export function stack(counts, most, height, thin, out) {
  let total = 0;
  for (let i = 0; i < counts.length; i++) total += counts[i];
  const whole = Math.max(thin, (Math.min(total, most) / most) * height);
  let rest = whole;
  let restCount = total;
  for (let i = 0; i < counts.length; i++) {
    const share = total === 0 ? 0 : (counts[i] / total) * whole;
    out[i] = counts[i] > 0 && share < thin ? thin : 0;
    if (out[i] > 0) {
      rest -= thin;
      restCount -= counts[i];
    }
  }
  for (let i = 0; i < counts.length; i++) {
    if (counts[i] > 0 && out[i] === 0) out[i] = Math.max(thin, (counts[i] / restCount) * rest);
  }
  return out;
}

/** The next number of the form 1, 2 or 5 times a power of ten.
 * @param {number} n at least 1 */
export function roundUp(n) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, n)));
  for (const step of [1, 2, 5]) if (n <= step * power) return step * power;
  return 10 * power;
}

/** What fills a height: a round number that is not below what is needed. It
 * grows at once and shrinks late, so that the picture seldom changes its scale.
 * @param {number} now what fills it so far @param {number} needed */
export function settled(now, needed) {
  return needed > now || needed * 2.5 <= now ? roundUp(needed) : now;
}

/** The distance between the labels of the time axis: a round number of
 * microseconds that leaves each label at least room pixels.
 * @param {View} v
 * @param {number} room */
export function tick(v, room) {
  const least = scale(v) * room;
  return roundUp(Math.max(1, least));
}

/** A label of the axis: seconds with as many decimals as the step needs;
 * minutes and seconds from a minute on, hours before them from an hour on.
 * @param {number} at
 * @param {number} step */
export function tickLabel(at, step) {
  const places = step >= 1e6 ? 0 : step >= 1e5 ? 1 : step >= 1e4 ? 2 : 3;
  const seconds = at / 1e6;
  if (Math.abs(seconds) < 60) return `${seconds.toFixed(places)} s`;
  const m = Math.floor(seconds / 60);
  const s = (seconds - m * 60).toFixed(places).padStart(places === 0 ? 2 : places + 3, "0");
  return m < 60 ? `${m}:${s}` : `${Math.floor(m / 60)}:${String(m % 60).padStart(2, "0")}:${s}`;
}

/** A clock that runs on between frames: where lab time stands at a real time,
 * from what the last frame said. It never runs backwards between two frames and
 * never runs ahead further than a lost second. */
export class Hand {
  constructor() {
    this.at = 0;
    this.since = 0;
    this.pace = 0;
    this.shown = 0;
  }

  /** @param {number} now lab time in the frame
   * @param {number} pace 0 when it stands
   * @param {number} ms real time, in milliseconds */
  sync(now, pace, ms) {
    this.at = now;
    this.pace = pace;
    this.since = ms;
    // A small step back is waited out; a large one is a reset.
    if (pace === 0 || this.shown - now > pace * 500_000 || now - this.shown > pace * 500_000) this.shown = now;
  }

  /** @param {number} ms real time, in milliseconds */
  read(ms) {
    const passed = Math.min(Math.max(0, ms - this.since), 1000);
    this.shown = Math.max(this.shown, this.at + passed * 1000 * this.pace);
    return this.shown;
  }
}
