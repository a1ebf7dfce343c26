// What the page knows: the newest frame, and the requests in rings of a fixed
// size. Messages change it and raise flags; the loop draws what is flagged.

/** How many requests are kept: 50 s at 5,000 a second. */
const capacity = 1 << 18;

/** How many requests the table of decisions holds. */
export const tableRows = 20;

/** How many samples of the levels are kept. */
const samples = 1 << 12;

/** The level of a lane that was not there yet. */
export const absent = -1;

/** Letters of verdicts as they are kept. */
export const letters = ".adrn";

/** How many edges of windows are kept for each lane. */
const mostEdges = 512;

/** @typedef {{number: number, at: number, key: string, cost: number, slot: number}} Recent */

export class Store {
  /** Flags: what has changed since it was last drawn. */
  dirty = { requests: true, panels: true, lanes: false };
  /** The time from which on something is new for the picture. */
  touched = -Infinity;
  /** @type {Lane[]} */
  lanes = [];
  /** @type {Score[]} */
  scores = [];
  // Slots count on without end; slot s lies at s % size. Those from head to
  // tail are held.
  head = 0;
  tail = 0;
  verdict = new Uint8Array(0);
  wait = new Float32Array(0);
  /** On which requests the lanes' verdicts differ, and on how many of those that
   * are held. */
  differs = new Uint8Array(0);
  differing = 0;
  /** The newest requests, for the table. @type {Recent[]} */
  recent = [];
  /** When the windows of each lane begin and end that first requests have begun,
   * in order. @type {number[][]} */
  edges = [];
  sampleCount = 0;
  sampleAt = new Float64Array(samples);
  sample = new Int16Array(0);
  /** The number of the next request. */
  expected = 0;
  /** The longest service time of a request. */
  longest = 0;

  /** @param {Whole} whole
   * @param {number} [size] slots of the ring */
  constructor(whole, size = capacity) {
    this.size = size;
    this.number = new Float64Array(size);
    this.at = new Float64Array(size);
    this.service = new Float32Array(size);
    this.differs = new Uint8Array(size);
    /** The newest frame. @type {Frame} */
    this.last = whole;
    this.#start(whole);
  }

  /** Takes in a whole.
   * @param {Whole} w
   * @returns {boolean} whether everything began anew; otherwise it went on from
   *   what was there */
  whole(w) {
    const same = JSON.stringify(w.lanes) === JSON.stringify(this.lanes);
    if (same && w.gen === this.last.gen && w.first <= this.expected) {
      this.frame(w);
      return false;
    }
    this.#start(w);
    this.dirty.lanes ||= !same;
    return true;
  }

  /** @param {Whole} w */
  #start(w) {
    const n = w.lanes.length;
    this.touched = -Infinity;
    this.lanes = w.lanes;
    this.head = this.tail = this.differing = 0;
    if (this.verdict.length !== this.size * n) {
      this.verdict = new Uint8Array(this.size * n);
      this.wait = new Float32Array(this.size * n);
    }
    this.recent = [];
    this.edges = w.lanes.map(() => []);
    this.sampleCount = 0;
    this.sample = new Int16Array(samples * n);
    this.expected = w.first;
    this.frame(w);
  }

  /** Takes in a frame of the same generation.
   * @param {Frame} f */
  frame(f) {
    this.last = f;
    if (f.scores) this.scores = f.scores;
    const known = this.tail;
    this.#requests(f);
    if (this.tail > known) {
      this.touched = Math.min(this.touched, this.time(known));
      this.#hold(this.time(known));
    }
    this.#levels(f);
    this.dirty.panels = true;
  }

  /** @param {Requests} f */
  #requests(f) {
    const at = f.at ?? [];
    if (at.length === 0) return;
    const n = this.lanes.length;
    const v = f.v ?? "";
    let time = 0;
    let w = 0;
    let k = 0;
    let c = 0;
    let key = "default";
    let cost = 1;
    let g = 0;
    let service = 0;
    for (let i = 0; i < at.length; i++) {
      time += at[i];
      while (f.k && k < f.k.length && f.k[k][0] <= i) key = f.k[k++][1];
      while (f.c && c < f.c.length && f.c[c][0] <= i) cost = f.c[c++][1];
      while (f.s && g < f.s.length && f.s[g][0] <= i) service = f.s[g++][1];
      const fresh = f.first + i >= this.expected;
      const slot = this.tail % this.size;
      if (fresh && this.tail - this.head === this.size) this.differing -= this.differs[this.head++ % this.size];
      let first = 0;
      let differs = 0;
      for (let lane = 0; lane < n; lane++) {
        const letter = Math.max(0, letters.indexOf(v[i * n + lane]));
        const wait = letter === 2 ? (f.w?.[w++] ?? 0) : 0;
        if (!fresh) continue;
        this.verdict[slot * n + lane] = letter;
        this.wait[slot * n + lane] = wait;
        first ||= letter;
        if (letter > 0 && letter !== first) differs = 1;
      }
      if (!fresh) continue;
      this.number[slot] = f.first + i;
      this.at[slot] = time;
      this.service[slot] = service;
      this.longest = Math.max(this.longest, service);
      this.differs[slot] = differs;
      this.differing += this.differs[slot];
      if (i >= at.length - tableRows) this.recent.push({ number: f.first + i, at: time, key, cost, slot: this.tail });
      this.tail++;
    }
    this.expected = Math.max(this.expected, f.first + at.length);
    this.recent = this.recent.slice(-tableRows);
    this.dirty.requests = true;
  }

  /** Until a request comes the newest levels hold, so that the picture falls where
   * it fell and not a frame earlier. @param {number} at */
  #hold(at) {
    const n = this.lanes.length;
    const last = (this.sampleCount - 1) % samples;
    if (this.sampleCount === 0 || at <= this.sampleAt[last]) return;
    const levels = this.sample.slice(last * n, last * n + n);
    this.#sample(at, (lane) => levels[lane]);
  }

  /** Notes the edges of a lane's windows, without those that it has.
   * @param {number} lane @param {number[]} edges in order */
  #edge(lane, edges) {
    const known = this.edges[lane];
    for (const at of edges) {
      if (known.length > 0 && at <= known[known.length - 1]) continue;
      known.push(at);
      this.touched = Math.min(this.touched, at);
    }
    if (known.length > mostEdges) this.edges[lane] = known.slice(-mostEdges / 2);
  }

  /** @param {Frame} f */
  #levels(f) {
    f.meters.forEach((m, lane) => {
      if (m.window && this.edges[lane]) this.#edge(lane, m.window);
    });
    this.#sample(f.now, (lane) => {
      const m = f.meters[lane];
      return m ? Math.max(m.fill, m.under ?? 0) : absent;
    });
  }

  /** Adds a sample of the levels.
   * @param {number} at
   * @param {(lane: number) => number} level */
  #sample(at, level) {
    const n = this.lanes.length;
    if (this.sampleCount > 0) this.touched = Math.min(this.touched, this.sampleAt[(this.sampleCount - 1) % samples]);
    const i = this.sampleCount++ % samples;
    this.sampleAt[i] = at;
    for (let lane = 0; lane < n; lane++) this.sample[i * n + lane] = level(lane);
  }

  /** Takes in levels of before the page came: they stand in the place of the
   * samples of the same time.
   * @param {Levels} past */
  past(past) {
    const n = this.lanes.length;
    const at = past.at ?? [];
    if (past.gen !== this.last.gen || at.length === 0) return;
    const v = past.v ?? [];
    past.e?.forEach((edges, lane) => {
      const live = this.edges[lane];
      if (!live || !edges) return;
      this.edges[lane] = [];
      this.#edge(lane, edges);
      this.#edge(lane, live);
    });
    const first = Math.max(0, this.sampleCount - samples);
    /** @type {{at: number, levels: Int16Array}[]} */
    const live = [];
    for (let i = first; i < this.sampleCount; i++) {
      const slot = i % samples;
      live.push({ at: this.sampleAt[slot], levels: this.sample.slice(slot * n, slot * n + n) });
    }
    this.sampleCount = 0;
    let time = 0;
    for (let i = 0; i < at.length; i++) this.#sample((time += at[i]), (lane) => v[i * n + lane]);
    for (const s of live) if (s.at > time) this.#sample(s.at, (lane) => s.levels[lane]);
    this.touched = -Infinity;
    this.dirty.requests = true;
  }

  /** How many of the decided requests are not held: the page came too late for
   * them, they came too fast to be sent to it, or the ring has gone round. */
  get missed() {
    return this.expected - (this.tail - this.head);
  }

  /** The time of a slot. @param {number} slot */
  time(slot) {
    return this.at[slot % this.size];
  }

  /** The number of a slot's request. @param {number} slot */
  numberOf(slot) {
    return this.number[slot % this.size];
  }

  /** The verdict's letter. @param {number} slot @param {number} lane */
  letter(slot, lane) {
    return letters[this.verdict[(slot % this.size) * this.lanes.length + lane]];
  }

  /** How long a delayed request waits, in microseconds. @param {number} slot @param {number} lane */
  waitOf(slot, lane) {
    return this.wait[(slot % this.size) * this.lanes.length + lane];
  }

  /** The first slot after an instant; tail when there is none.
   * @param {number} at */
  slotAfter(at) {
    let lo = this.head;
    let hi = this.tail;
    while (lo < hi) {
      const mid = Math.floor((lo + hi) / 2);
      if (this.time(mid) <= at) lo = mid + 1;
      else hi = mid;
    }
    return lo;
  }

  /** The next slot, or with by = -1 the one before, whose lanes differ; -1 when
   * there is none. @param {number} slot @param {1 | -1} by */
  nextDiffering(slot, by) {
    for (let s = slot + by; s >= this.head && s < this.tail; s += by) if (this.differs[s % this.size]) return s;
    return -1;
  }

  /** The slot of a request by its number; -1 when it is not kept.
   * @param {number} number */
  slotOf(number) {
    let lo = this.head;
    let hi = this.tail;
    while (lo < hi) {
      const mid = Math.floor((lo + hi) / 2);
      if (this.numberOf(mid) < number) lo = mid + 1;
      else hi = mid;
    }
    return lo < this.tail && this.numberOf(lo) === number ? lo : -1;
  }

  /** Calls visit for the samples of the levels from the one before a time to the
   * one after another, oldest first.
   * @param {number} from @param {number} to
   * @param {(at: number, index: number) => void} visit
   * @returns {boolean} whether the newest was among them */
  levels(from, to, visit) {
    const first = Math.max(0, this.sampleCount - samples);
    let i = this.sampleCount - 1;
    while (i > first && this.sampleAt[i % samples] >= from) i--;
    for (i = Math.max(i, first); i < this.sampleCount; i++) {
      const at = this.sampleAt[i % samples];
      visit(at, i % samples);
      if (at > to && i < this.sampleCount - 1) return false;
    }
    return true;
  }
}
