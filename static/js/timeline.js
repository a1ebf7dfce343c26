// The time line: a film behind all lanes, drawn from the store. Where things
// stand is decided in layout.js; here they get ink.

import { Film } from "./film.js";
import { clock, count, names, span as spanWords } from "./format.js";
import { Columns, Placer, crowded, edges, following, full, heldSpan, lowerBound, nextSpan, scale, settled, stack, tick, tickLabel, timeAt, verdicts, xOf } from "./layout.js";
import { absent, letters } from "./store.js";

/** @typedef {import("./store.js").Store} Store */

// Sizes in pixels, as the theme has them: see readTheme.
let cell = 9; // of a mark with its margin
let radius = 3.4;
let stroke = 1.7;
const reach = 6; // how far a crowded mark may move, in marks
const turn = 0.0025; // how much a wheel's way zooms
const zoomFor = 160; // how long the zoom takes, in milliseconds
const mostSought = 2000; // how many requests are looked at for a quiet moment
const mostExits = 8192; // how many times at which something leaves are kept a lane
const thinEdge = 6; // the least distance of windows whose edges are drawn
const thin = 2; // the least height of a bar's part
const labelled = 4; // how many columns a bar's numbers take
const labelWide = 48; // at most, of a time or a count

// Where the panel of the chosen request lies over the page, as lab.css has it.
const narrow = matchMedia("(max-width: 1199px)");
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** The columns on the film; those that are drawn as bars.
 * @typedef {{columns: import("./layout.js").Column[], bars: ReturnType<typeof full>}} Crowd */

/** Inks by verdict's place in letters; 0 is "not there yet". */
const inks = ["muted", "passed", "delayed", "refused", "never"];

export class Timeline {
  /** @param {HTMLElement} stage
   * @param {Store} store
   * @param {() => void} changed called when it needs to be drawn
   * @param {(number: number) => void} choose called when a request is chosen */
  constructor(stage, store, changed, choose) {
    this.stage = stage;
    this.store = store;
    this.changed = changed;
    this.choose = choose;
    this.box = /** @type {HTMLElement} */ (stage.querySelector("[data-film]"));
    this.film = new Film(this.box);
    const piece = (/** @type {string} */ name) => {
      const e = document.createElement("div");
      e.className = name;
      this.box.append(e);
      return e;
    };
    this.ahead = piece("ahead-of-now");
    this.hair = piece("hair");
    this.hairLabel = document.createElement("span");
    this.hair.append(this.hairLabel);
    /** What is drawn on: a part of the film, or a picture. */
    this.context = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
    /** The time from which on the film is out of date. */
    this.stale = -Infinity;
    /** What the film shows of each column, and where it begins and ends.
     * @type {Map<number, number>} */
    this.shown = new Map();
    this.shownFrom = 0;
    this.shownTo = 0;
    /** @type {Crowd} */
    this.crowd = { columns: [], bars: [] };
    /** How many requests fill a lane, and the row of what was sent. */
    this.most = { lane: 1, sent: 10 };
    this.view = { end: 0, span: 10e6, width: 1 };
    this.follow = true;
    this.now = 0;
    /** The chosen request's number; -1 for none. */
    this.chosen = -1;
    /** The lane that was looked at last. */
    this.lane = 0;
    /** The selected span; null for none. @type {{from: number, to: number} | null} */
    this.selection = null;
    /** Whether a drag selects, and does not move the view. */
    this.selecting = false;
    /** The zoom that is under way. @type {{from: number, to: number, x: number, begun: number} | null} */
    this.zooming = null;
    /** Where the pointer is, in the track's pixels; -1 when it is elsewhere. */
    this.pointer = -1;
    this.row = new Uint8Array(store.size);
    this.moved = new Float32Array(store.size);
    this.placed = 0;
    /** The time after which all marks are placed. */
    this.placedFrom = -Infinity;
    this.placer = new Placer(cell, 1, reach);
    this.columns = new Columns(1, 0);
    /** When something leaves the lanes' queues, logs and what is in progress.
     * @type {number[][]} */
    this.exits = [];
    /** The longest wait of a delayed request. */
    this.longest = 0;
    /** The longest that anything stays in a queue, a log or in progress. */
    this.stays = 0;
    /** How far ink may reach to the right of its request, in time: marks move,
     * and the delayed have a way to go; longer ones than the view are cut. */
    this.reaching = 0;
    /** @type {{x: number, y: number, height: number}[]} */
    this.lanes = [];
    /** @type {{x: number, y: number, height: number}} */
    this.sent = { x: 0, y: 0, height: 0 };
    /** @type {{x: number, y: number, height: number}} */
    this.axis = { x: 0, y: 0, height: 0 };
    /** @type {number[]} */
    this.parts = [];
    /** A lane's level as x and y in turn. @type {number[]} */
    this.points = [];
    /** Requests by their numbers that each lane decided differently from the
     * room that this one was made from. @type {Set<number>[]} */
    this.marked = [];
    /** The colours in force. @type {Record<string, string>} */
    this.ink = {};
    /** What bars of refusals are filled with: their ink, notched.
     * @type {(CanvasPattern | null)[]} */
    this.notched = [];
    this.path = () => new Path2D();
    this.font = "";
    this.readTheme();
    new ResizeObserver(() => this.measure()).observe(stage);
    this.#listen();
  }

  /** Takes the colours and sizes from the style sheet. The marks are placed by
   * them: measure comes after. */
  readTheme() {
    const style = getComputedStyle(this.stage);
    /** @type {Record<string, string>} */
    this.ink = {};
    const probe = document.createElement("span");
    this.stage.append(probe);
    for (const name of ["ink", "muted", "line", "ground", "passed", "delayed", "refused", "never", "accent", "level", "ahead", "gauge"]) {
      probe.style.color = `var(--${name})`;
      this.ink[name] = getComputedStyle(probe).color;
    }
    probe.remove();
    this.notched = inks.map((name, v) => (v < 3 ? null : notches(this.context, this.ink[name])));
    const size = (/** @type {string} */ name, /** @type {number} */ usual) => parseFloat(style.getPropertyValue(name)) || usual;
    cell = size("--mark", 9);
    radius = cell * 0.38;
    stroke = size("--mark-line", 1.7);
    this.font = `${size("--label", 12)}px ${style.fontFamily}`;
    this.#again();
  }

  /** Takes the places of the tracks from the page. */
  measure() {
    const box = this.stage.getBoundingClientRect();
    const place = (/** @type {Element | null} */ e) => {
      if (!e) return { x: 0, y: 0, height: 0 };
      const b = e.getBoundingClientRect();
      return { x: b.left - box.left, y: b.top - box.top, height: b.height };
    };
    const tracks = [...this.stage.querySelectorAll('[data-track="lane"]')];
    this.lanes = tracks.map(place);
    this.sent = place(this.stage.querySelector('[data-track="sent"]'));
    this.axis = place(this.stage.querySelector('[data-track="axis"]'));
    this.view.width = Math.max(1, tracks[0]?.getBoundingClientRect().width ?? 1);
    const pick = /** @type {HTMLElement | null} */ (this.stage.querySelector("[data-pick]"));
    if (pick) {
      pick.style.left = `${this.sent.x}px`;
      pick.style.width = `${this.view.width}px`;
    }
    const ratio = window.devicePixelRatio || 1;
    // Only the tracks are drawn on: beside them nothing has to be composed.
    this.box.style.left = `${Math.round(this.sent.x * ratio) / ratio}px`;
    this.box.style.width = `${this.view.width}px`;
    this.box.style.height = `${box.height}px`;
    this.box.style.setProperty("--bottom", `${this.axis.y}px`);
    this.film.size(Math.ceil(box.height), ratio);
    this.replace(this.store.head);
  }

  /** Places all marks anew from a slot on: the scale or the rows have changed.
   * @param {number} slot */
  replace(slot) {
    const height = Math.min(...this.lanes.map((l) => l.height), 200);
    this.rows = Math.max(1, Math.floor((height - 10) / cell));
    this.placer = new Placer(cell, this.rows, reach);
    this.placed = slot;
    this.placedFrom = slot > this.store.head ? this.store.time(slot - 1) : -Infinity;
    this.columns = new Columns(cell * scale(this.view), this.store.lanes.length);
    this.exits = this.store.lanes.map(() => []);
    this.most = { lane: 1, sent: 10 };
    this.#again();
  }

  /** The whole film is out of date. */
  #again() {
    this.stale = -Infinity;
    this.changed();
  }

  /** The store has started anew. */
  restart() {
    this.row = new Uint8Array(this.store.size);
    this.moved = new Float32Array(this.store.size);
    this.longest = this.stays = 0;
    this.measure();
  }

  #place() {
    const s = this.store;
    const n = s.lanes.length;
    const unit = scale(this.view);
    for (this.placed = Math.max(this.placed, s.head); this.placed < s.tail; this.placed++) {
      const slot = this.placed % s.size;
      const at = s.at[slot];
      this.placer.place(at / unit);
      this.row[slot] = this.placer.row;
      this.moved[slot] = this.placer.moved;
      this.columns.add(this.placed, at, this.placer.row, this.placer.moved * unit, s.differs[slot] === 1, s.verdict, slot * n);
      for (let lane = 0; lane < n; lane++) {
        const verdict = s.verdict[slot * n + lane];
        if (verdict !== 1 && verdict !== 2) continue;
        if (verdict === 2) this.longest = Math.max(this.longest, s.wait[slot * n + lane]);
        const stays = s.lanes[lane].stays ?? 0;
        const leaves = verdict === 2 ? at + s.wait[slot * n + lane] : stays === 0 ? 0 : at + (stays < 0 ? s.service[slot] : stays / 1000);
        if (leaves - at > this.stays) this.stays = leaves - at;
        const exits = this.exits[lane];
        // One a pixel is all that can be seen.
        if (leaves > at && !(Math.abs(leaves - exits[exits.length - 1]) < unit)) exits.push(leaves);
        if (exits.length > mostExits) this.exits[lane] = exits.slice(-mostExits / 2);
      }
    }
    this.columns.drop(s.head);
  }

  /** Goes to the next round span. @param {number} by below 0 shows less */
  zoom(by) {
    this.zoomTo(nextSpan(this.zooming?.to ?? this.view.span, by));
  }

  /** Goes to a span, gently where motion is welcome.
   * @param {number} span
   * @param {number} [x] what stands there stays there, unless the newest is
   *   followed; by default the middle */
  zoomTo(span, x = this.view.width / 2) {
    if (still.matches) this.#zoomed(span, x);
    else this.zooming = { from: this.view.span, to: heldSpan(span), x, begun: performance.now() };
    this.changed();
  }

  /** @param {number} wanted @param {number} x */
  #zoomed(wanted, x) {
    const span = heldSpan(wanted);
    if (span === this.view.span) return;
    const at = timeAt(this.view, x);
    this.view.span = span;
    if (!this.follow) this.view.end += at - timeAt(this.view, x);
    this.replace(this.#before());
    this.stage.dispatchEvent(new CustomEvent("zoomed", { bubbles: true }));
  }

  /** The slot from which on marks are placed, so that all in view are where they
   * would be if all had been: some time before the view, after a moment without
   * requests if there is one near. With many thousands of requests, to place all
   * of them at each turn of a wheel would take too long. */
  #before() {
    const s = this.store;
    const { view } = this;
    const unit = scale(view);
    const from = this.#end() - view.span * 1.5 - this.stays - 2 * reach * cell * unit;
    const slot = lowerBound((i) => s.time(i), s.head, s.tail, from);
    for (let i = slot; i > s.head && i > slot - mostSought; i--) {
      if (s.time(i) - s.time(i - 1) > (reach + 1) * cell * unit) return i;
    }
    return slot;
  }

  /** Goes on with the zoom that is under way.
   * @returns {boolean} whether it still is */
  #zoomOn() {
    const z = this.zooming;
    if (!z) return false;
    const part = Math.min(1, (performance.now() - z.begun) / zoomFor);
    const eased = 1 - (1 - part) ** 3;
    this.#zoomed(part === 1 ? z.to : z.from * (z.to / z.from) ** eased, z.x);
    if (part === 1) this.zooming = null;
    return part < 1;
  }

  /** Moves the view by a part of its span. @param {number} part */
  panBy(part) {
    this.pan(this.#end() + part * this.view.span);
  }

  /** Moves the view; some of what there is stays in it.
   * @param {number} end the time at the right edge */
  pan(end) {
    this.follow = false;
    this.view.end = Math.min(Math.max(end, this.view.span / 4), this.now + (this.view.span * 3) / 4);
    this.stage.dispatchEvent(new CustomEvent("follow", { bubbles: true }));
    this.changed();
  }

  /** @param {boolean} on */
  setFollow(on) {
    this.follow = on;
    this.changed();
  }

  /** Chooses a request, and brings it into view. @param {number} number */
  select(number) {
    this.chosen = number;
    const slot = number < 0 ? -1 : this.store.slotOf(number);
    if (slot >= 0) {
      const at = this.store.time(slot);
      const from = this.#end() - this.view.span;
      if (at < from || at > this.#end()) {
        this.follow = false;
        this.view.end = at + this.view.span / 2;
      }
    }
    this.#again();
  }

  /** Marks requests in each lane by their numbers. @param {Set<number>[]} lanes */
  mark(lanes) {
    this.marked = lanes;
    this.#again();
  }

  /** Brings an instant into view. @param {number} at */
  reveal(at) {
    const from = this.#end() - this.view.span;
    if (at >= from && at <= this.#end()) {
      // What one looks at does not run away.
      this.pan(this.#end());
      return;
    }
    this.pan(at + this.view.span / 2);
  }

  /** Where an instant stands in the track. @param {number} at */
  xAt(at) {
    return xOf(this.view, at);
  }

  /** The instant at a place in the track. @param {number} x */
  timeOf(x) {
    return timeAt(this.view, x);
  }

  #end() {
    return this.follow ? following(this.now, this.view.span) : this.view.end;
  }

  #listen() {
    const inTrack = (/** @type {MouseEvent} */ e) => e.clientX - this.stage.getBoundingClientRect().left - this.sent.x;
    let dragged = 0;
    let from = -1;
    let end = 0;
    let brushing = false;
    this.stage.addEventListener("pointermove", (e) => {
      const x = inTrack(e);
      this.pointer = x >= 0 && x <= this.view.width ? x : -1;
      if (from >= 0) {
        dragged = Math.max(dragged, Math.abs(x - from));
        if (dragged > 4 && fingers.size < 2) {
          if (brushing) this.#brush(from, x);
          else this.pan(end - (x - from) * scale(this.view));
        }
      }
      this.changed();
    });
    // Two fingers, and what a touchpad makes of them: a wheel with ctrl.
    /** @type {Map<number, number>} */
    const fingers = new Map();
    let apart = 0;
    const spread = () => Math.abs([...fingers.values()].reduce((a, b) => a - b));
    this.stage.addEventListener("pointerdown", (e) => {
      if (e.pointerType !== "touch") return;
      fingers.set(e.pointerId, inTrack(e));
      if (fingers.size === 2) apart = spread();
    });
    window.addEventListener("pointermove", (e) => {
      if (!fingers.has(e.pointerId)) return;
      fingers.set(e.pointerId, inTrack(e));
      if (fingers.size !== 2) return;
      dragged = Infinity; // not a tap any more
      const now = Math.max(1, spread());
      const [a, b] = fingers.values();
      this.#zoomed((this.view.span * Math.max(1, apart)) / now, (a + b) / 2);
      apart = now;
    });
    for (const over of ["pointerup", "pointercancel"]) {
      window.addEventListener(over, (e) => fingers.delete(/** @type {PointerEvent} */ (e).pointerId));
    }
    this.stage.addEventListener(
      "wheel",
      (e) => {
        if (e.ctrlKey || e.metaKey) {
          e.preventDefault();
          this.zooming = null;
          this.#zoomed(this.view.span * Math.exp(Math.max(-200, Math.min(200, e.deltaY)) * turn), inTrack(e));
          return;
        }
        const sideways = e.shiftKey && e.deltaX === 0 ? e.deltaY : e.deltaX;
        if (sideways === 0 || (!e.shiftKey && Math.abs(e.deltaY) > Math.abs(sideways))) return;
        e.preventDefault();
        this.pan(this.#end() + sideways * scale(this.view));
      },
      { passive: false },
    );
    this.stage.addEventListener("pointerleave", () => {
      this.pointer = -1;
      this.changed();
    });
    this.stage.addEventListener("pointerdown", (e) => {
      if (e.button !== 0 || !(e.target instanceof Element) || !e.target.closest("[data-track], [data-pick]")) return;
      from = inTrack(e);
      end = this.#end();
      dragged = 0;
      brushing = this.selecting || e.shiftKey;
      // What one draws a span over does not run away.
      if (brushing && this.follow) this.pan(end);
    });
    window.addEventListener("pointerup", (e) => {
      if (from >= 0 && dragged <= 4) this.#chooseAt(inTrack(e), e.clientY - this.stage.getBoundingClientRect().top);
      else if (from >= 0 && brushing && this.selection) this.stage.dispatchEvent(new CustomEvent("brushed", { detail: this.selection }));
      from = -1;
    });
    window.addEventListener("pointercancel", () => (from = -1));
  }

  /** Selects what lies between two places. @param {number} a @param {number} b */
  #brush(a, b) {
    const inView = (/** @type {number} */ x) => Math.max(0, timeAt(this.view, Math.min(this.view.width, Math.max(0, x))));
    this.selectSpan({ from: inView(Math.min(a, b)), to: inView(Math.max(a, b)) });
  }

  /** Shows a span as selected; null for none.
   * @param {{from: number, to: number} | null} selection */
  selectSpan(selection) {
    this.selection = selection;
    this.#again();
  }

  /** @param {number} x @param {number} y in the stage */
  #chooseAt(x, y) {
    const s = this.store;
    if (s.tail === s.head) return;
    const unit = scale(this.view);
    const at = timeAt(this.view, x);
    const time = (/** @type {number} */ i) => s.time(i);
    const lo = lowerBound(time, s.head, s.tail, at - (reach + 2) * cell * unit);
    const hi = lowerBound(time, lo, s.tail, at + 3 * cell * unit);
    const lane = this.lanes.find((l) => y >= l.y && y < l.y + l.height);
    let best = -1;
    let least = Infinity;
    for (let i = lo; i < hi; i++) {
      const slot = i % s.size;
      const dx = xOf(this.view, s.time(i)) + this.moved[slot] - x;
      const dy = lane && this.row[slot] !== crowded ? lane.y + lane.height - 5 - (this.row[slot] + 0.5) * cell - y : 0;
      const far = Math.hypot(dx, dy);
      if (far < least) {
        least = far;
        best = i;
      }
    }
    if (best < 0) best = Math.min(s.tail - 1, Math.max(s.head, lo));
    this.choose(s.numberOf(best));
    if (!lane) return;
    this.lane = this.lanes.indexOf(lane);
    this.uncover();
  }

  /** Scrolls the lane that was looked at last into view: on a narrow screen the
   * panel that opens must not cover what was chosen. */
  uncover() {
    if (!narrow.matches) return;
    const tracks = this.stage.querySelectorAll('[data-track="lane"]');
    tracks[Math.min(this.lane, tracks.length - 1)]?.scrollIntoView({ block: "nearest" });
  }

  /** @param {number} now lab time
   * @returns {boolean} whether the view still moves by itself */
  draw(now) {
    this.now = now;
    const moving = this.#zoomOn();
    this.view.end = this.#end();
    if (this.view.end - this.view.span - this.stays < this.placedFrom) this.replace(this.#before());
    this.#place();
    if (this.view.width >= 2) this.#show();
    return moving;
  }

  /** Moves the film to what is in view, and draws what is new on it. */
  #show() {
    const { film, view, store } = this;
    const unit = scale(view);
    const left = film.snapped((view.end - view.span) / unit);
    view.end = left * unit + view.span;
    const { from, to } = film.around(left, view.width);
    this.stale = Math.min(this.stale, store.touched);
    store.touched = Infinity;
    if (this.stale < Infinity || from !== this.shownFrom || to !== this.shownTo) this.#count(from, to, unit);
    for (const part of film.show(left, view.width, this.stale / unit)) {
      this.context = part.context;
      this.view = { end: part.to * unit, span: (part.to - part.from) * unit, width: part.to - part.from };
      this.#paint();
    }
    this.view = view;
    this.stale = Infinity;
    this.#overlay();
  }

  /** Counts anew what is drawn as columns, and finds from where on that differs
   * from what the film shows.
   * @param {number} from the film's first place @param {number} to its last
   * @param {number} unit */
  #count(from, to, unit) {
    const { columns, most } = this;
    const wide = columns.width;
    this.reaching = (reach + 2) * wide + Math.min(this.longest, this.view.span);
    const inReach = columns.between(from * unit - this.reaching, to * unit + wide);
    const bars = full(inReach, Math.floor(this.now / wide));
    this.crowd = { columns: inReach, bars };
    const first = Math.floor((from * unit) / wide);
    const highest = (/** @type {import("./layout.js").Column[]} */ list) => list.reduce((n, c) => (c.bin < first ? n : Math.max(n, c.hi - c.lo)), 0);
    const lane = settled(most.lane, Math.max(1, highest(bars)));
    const sent = settled(most.sent, Math.max(10, highest(inReach)));
    if (lane !== most.lane || sent !== most.sent) this.stale = -Infinity;
    this.most = { lane, sent };
    const drawn = new Map();
    for (const c of inReach) drawn.set(c.bin, c.hi * 4);
    for (const bar of bars) drawn.set(bar.bin, bar.hi * 4 + 2 + (bar.free >= labelled ? 1 : 0));
    for (const [bin, what] of drawn) {
      if (this.shown.get(bin) === what || bin * wide >= this.stale) continue;
      // The column before may have less room now.
      if (bin * wide < this.shownTo * unit && bin * wide >= this.shownFrom * unit) this.stale = (bin - 1) * wide;
    }
    this.shown = drawn;
    this.shownFrom = from;
    this.shownTo = to;
  }

  /** What moves by itself over the film: the part that is still to come, and the
   * line where the pointer is. */
  #overlay() {
    const { view } = this;
    place(this.ahead, Math.min(view.width, Math.round(xOf(view, this.now))));
    const at = this.pointer < 0 ? -1 : timeAt(view, this.pointer);
    if (this.hair.hidden !== at < 0) this.hair.hidden = at < 0;
    if (at < 0) return;
    place(this.hair, Math.round(this.pointer));
    this.hairLabel.textContent = clock(at);
    this.hair.classList.toggle("late", this.pointer > view.width - labelWide);
    this.hair.classList.toggle("early", this.pointer < labelWide);
  }

  /** Draws what is in view on another context, without what only the page has.
   * @param {CanvasRenderingContext2D} context
   * @param {{path?: () => Path2D, notched?: (CanvasPattern | null)[], font?: string}} tools */
  drawOn(context, tools) {
    const own = { context: this.context, path: this.path, notched: this.notched, font: this.font, chosen: this.chosen };
    Object.assign(this, { context, ...tools, chosen: -1 });
    this.#paint(14);
    const { view, ink } = this;
    const x = xOf(view, this.now);
    if (x < view.width) {
      context.fillStyle = ink.ahead;
      context.fillRect(x, this.sent.y, view.width - x, this.axis.y - this.sent.y);
      context.fillStyle = ink.muted;
      context.fillRect(Math.round(x), this.sent.y, 1, this.axis.y - this.sent.y);
    }
    Object.assign(this, own);
  }

  /** Draws what is in view, which may be a part of the film.
   * @param {number} [margin] how near to an edge no label of the axis may stand;
   *   below 0 they may be cut there, and go on beside it */
  #paint(margin = -labelWide) {
    const { context: c, store: s, view } = this;
    const unit = scale(view);
    const time = (/** @type {number} */ i) => s.time(i);
    const lo = lowerBound(time, s.head, s.tail, view.end - view.span - this.reaching);
    const hi = lowerBound(time, lo, s.tail, view.end + cell * unit);
    c.save();
    c.beginPath();
    c.rect(0, 0, view.width, this.axis.y + this.axis.height);
    c.clip();
    this.#grid(margin);
    this.#edges();
    this.#levels();
    this.#sent();
    for (let lane = 0; lane < this.lanes.length; lane++) this.#lane(lane, lo, hi);
    this.#marks();
    this.#selected();
    this.#choice();
    c.restore();
  }

  /** The selected span: its edges, a tint, and its length. */
  #selected() {
    const { context: c, view, ink, selection } = this;
    if (!selection) return;
    const a = xOf(view, selection.from);
    const b = xOf(view, selection.to);
    if (b < -labelWide || a > view.width + labelWide) return;
    const bottom = this.axis.y;
    const left = Math.max(-2, a);
    const right = Math.min(view.width + 2, b);
    c.fillStyle = ink.accent;
    c.globalAlpha = 0.1;
    c.fillRect(left, this.sent.y, right - left, bottom - this.sent.y);
    c.globalAlpha = 1;
    c.fillRect(Math.round(a), this.sent.y, 1, bottom - this.sent.y);
    c.fillRect(Math.round(b), this.sent.y, 1, bottom - this.sent.y);
    const label = spanWords(selection.to - selection.from);
    c.font = this.font;
    c.textBaseline = "middle";
    c.textAlign = "center";
    const w = c.measureText(label).width + 8;
    const x = (a + b) / 2;
    c.fillRect(x - w / 2, this.sent.y, w, 16);
    c.fillStyle = ink.ground;
    c.fillText(label, x, this.sent.y + 8.5);
  }

  /** @param {number} margin see #paint */
  #grid(margin) {
    const { context: c, view, ink } = this;
    const step = tick(view, 72);
    const beside = Math.max(0, -margin) * scale(view);
    const first = Math.max(0, Math.ceil((view.end - view.span - beside) / step)) * step;
    const end = view.end + beside;
    const bottom = this.axis.y;
    c.font = this.font;
    c.textBaseline = "middle";
    c.textAlign = "center";
    c.strokeStyle = ink.line;
    c.fillStyle = ink.muted;
    c.globalAlpha = 0.7;
    c.lineWidth = 1;
    c.beginPath();
    for (let at = first; at <= end; at += step) {
      const x = Math.round(xOf(view, at)) + 0.5;
      c.moveTo(x, this.sent.y);
      c.lineTo(x, bottom + 4);
    }
    c.stroke();
    c.globalAlpha = 1;
    for (let at = first; at <= end; at += step) {
      const x = xOf(view, at);
      if (x > margin && x < view.width - margin) c.fillText(tickLabel(at, step), x, bottom + this.axis.height / 2 + 2);
    }
    const zero = xOf(view, 0);
    if (zero > 0) {
      c.fillStyle = ink.ahead;
      c.fillRect(0, this.sent.y, zero, bottom - this.sent.y);
    }
  }

  /** Where windows begin: fine lines with a flag on top. */
  #edges() {
    const { context: c, store: s, view, ink } = this;
    c.fillStyle = ink.muted;
    this.lanes.forEach((track, n) => {
      const lane = s.lanes[n];
      if (!lane) return;
      // The flag of an edge may reach in from beside.
      const wider = { end: view.end, span: view.span + 6 * scale(view), width: view.width + 6 };
      const told = s.edges[n].filter((at) => at >= wider.end - wider.span && at <= wider.end);
      for (const at of lane.windows ? edges(wider, lane.windows / 1000, thinEdge) : told) {
        const x = Math.round(xOf(view, at));
        c.globalAlpha = 0.28;
        c.fillRect(x, track.y, 1, track.height - 1);
        c.globalAlpha = 0.8;
        c.fillRect(x, track.y, 5, 2);
      }
    });
    c.globalAlpha = 1;
  }

  /** The level over time, and the line at which requests are refused. */
  #levels() {
    const { context: c, store: s, view, ink } = this;
    const n = s.lanes.length;
    for (let lane = 0; lane < n && lane < this.lanes.length; lane++) {
      const track = this.lanes[lane];
      const base = track.y + track.height - 1;
      const most = track.height - 10;
      const limit = Math.round(base - (s.lanes[lane].full / 1000) * most);
      const points = this.points;
      points.length = 0;
      const whole = s.levels(view.end - view.span, view.end, (at, i) => {
        const level = s.sample[i * n + lane];
        if (level !== absent) points.push(xOf(view, at), base - (level / 1000) * most);
      });
      if (points.length === 0) continue;
      // Between two frames the newest level holds.
      const last = points.length - 2;
      if (whole) points.push(Math.max(points[last], xOf(view, this.now)), points[last + 1]);
      c.fillStyle = ink.level;
      c.beginPath();
      c.moveTo(points[0], base);
      for (let i = 0; i < points.length; i += 2) c.lineTo(points[i], points[i + 1]);
      c.lineTo(points[points.length - 2], base);
      c.fill();
      c.strokeStyle = ink.gauge;
      c.globalAlpha = 0.8;
      c.lineWidth = 1.25;
      c.beginPath();
      c.moveTo(points[0], points[1]);
      for (let i = 2; i < points.length; i += 2) c.lineTo(points[i], points[i + 1]);
      c.stroke();
      c.fillStyle = ink.refused;
      c.globalAlpha = 0.5;
      c.fillRect(Math.max(0, points[0]), limit, points[points.length - 2] - Math.max(0, points[0]), 1);
      c.globalAlpha = 1;
    }
  }

  /** When something leaves the queue, the log or progress: ticks along the
   * bottom.
   * @param {number} lane */
  #exits(lane) {
    const { context: c, view, ink } = this;
    const base = this.lanes[lane].y + this.lanes[lane].height - 5;
    const from = view.end - view.span - 2 * radius * scale(view);
    c.fillStyle = this.store.lanes[lane]?.stays ? ink.passed : ink.delayed;
    for (const at of this.exits[lane] ?? []) {
      if (at >= from && at <= view.end) c.fillRect(xOf(view, at) + radius - 0.75, base + 1, 1.5, 4);
    }
  }

  /** What was sent: a column's height is its number of requests. */
  #sent() {
    const { context: c, view, ink, sent, most } = this;
    const { columns } = this.crowd;
    const base = sent.y + sent.height - 4;
    c.fillStyle = ink.ink;
    c.globalAlpha = 0.75;
    // A bar stands where its first request is, as the marks below do.
    columns.forEach(({ at, lo, hi }, i) => {
      const x = xOf(view, at);
      if (x < -cell || x > view.width) return;
      const next = i + 1 < columns.length ? xOf(view, columns[i + 1].at) : Infinity;
      const h = Math.max(3, ((hi - lo) / most.sent) * (sent.height - 13));
      c.fillRect(x, base - h, Math.max(1, Math.min(cell - 1.5, next - x - 1)), h);
    });
    c.globalAlpha = 1;
    // Where the lanes differ a wedge points at the bar.
    c.beginPath();
    for (const { at, differ } of columns) {
      if (!differ) continue;
      const x = xOf(view, at) + radius;
      if (x < -4 || x > view.width + 4) continue;
      c.moveTo(x - 3.5, sent.y + 1);
      c.lineTo(x + 3.5, sent.y + 1);
      c.lineTo(x, sent.y + 6);
      c.closePath();
    }
    c.fill();
    c.globalAlpha = 1;
  }

  /** @param {number} lane @param {number} lo @param {number} hi */
  #lane(lane, lo, hi) {
    const { context: c, store: s, view, ink, crowd } = this;
    const n = s.lanes.length;
    const track = this.lanes[lane];
    const base = track.y + track.height - 5;
    const paths = inks.map(() => this.path());
    const tails = this.path();
    let bar = 0;
    let tailed = false;
    const drawn = [false, false, false, false, false];
    for (let i = lo; i < hi; i++) {
      while (bar < crowd.bars.length && crowd.bars[bar].hi <= i) bar++;
      if (bar < crowd.bars.length && i >= crowd.bars[bar].lo) {
        i = crowd.bars[bar].hi - 1;
        continue;
      }
      const slot = i % s.size;
      const verdict = s.verdict[slot * n + lane];
      const x = xOf(view, s.at[slot]) + this.moved[slot] + radius;
      const y = base - (this.row[slot] + 0.5) * cell;
      if (x >= -cell) {
        mark(paths[verdict], verdict, x, y);
        drawn[verdict] = true;
      }
      if (verdict !== 2) continue;
      const leaves = xOf(view, s.at[slot] + s.wait[slot * n + lane]) + radius;
      if (leaves <= x + radius) continue;
      tails.moveTo(x + radius, y);
      tails.lineTo(leaves, y);
      tailed = true;
    }
    if (tailed) {
      c.lineWidth = 1;
      c.strokeStyle = ink.delayed;
      c.globalAlpha = 0.55;
      c.stroke(tails);
      c.globalAlpha = 1;
    }
    if (drawn[1]) {
      c.fillStyle = ink.passed;
      c.fill(paths[1]);
    }
    c.lineWidth = stroke;
    for (const v of [2, 3, 4]) {
      if (!drawn[v]) continue;
      c.strokeStyle = ink[inks[v]];
      c.stroke(paths[v]);
    }
    this.#bars(lane, base);
    this.#exits(lane);
  }

  /** @param {number} lane @param {number} base */
  #bars(lane, base) {
    const { context: c, view, ink, columns, most } = this;
    const height = this.lanes[lane].height - 10;
    const wide = cell - 1.5;
    c.textAlign = "left";
    c.textBaseline = "alphabetic";
    c.font = this.font;
    for (const bar of this.crowd.bars) {
      const x = xOf(view, bar.bin * columns.width);
      if (x < -cell - labelWide || x > view.width) continue;
      const counts = bar.counts.subarray(lane * verdicts, (lane + 1) * verdicts);
      stack(counts, most.lane, height, thin, this.parts);
      let y = base;
      for (let v = 0; v < verdicts; v++) {
        if (counts[v] === 0) continue;
        const h = this.parts[v];
        // A bar says its verdict by shape as well: refused ones are notched.
        c.fillStyle = (v >= 3 && h > 5 && this.notched[v]) || ink[inks[v]];
        if (v === 0) c.globalAlpha = 0.3;
        c.fillRect(x, y - h, wide, h);
        c.globalAlpha = 1;
        if (bar.free >= labelled && h >= 4) {
          c.fillStyle = ink[inks[v]];
          c.fillText(count(counts[v]), x + cell + 2, Math.min(y, y - h / 2 + 4));
        }
        y -= h;
      }
    }
  }

  /** Corners around the requests that are marked. */
  #marks() {
    const { context: c, store: s, view, ink } = this;
    c.strokeStyle = ink.accent;
    c.lineWidth = 1.5;
    c.beginPath();
    this.marked.slice(0, this.lanes.length).forEach((numbers, n) => {
      const lane = this.lanes[n];
      for (const number of numbers) {
        const slot = s.slotOf(number);
        if (slot < 0) continue;
        const i = slot % s.size;
        const x = xOf(view, s.at[i]) + this.moved[i] + (this.row[i] === crowded ? cell / 2 - 1 : radius);
        if (x < -cell || x > view.width + cell) continue;
        const y = this.row[i] === crowded ? lane.y + lane.height - 5 - cell / 2 : lane.y + lane.height - 5 - (this.row[i] + 0.5) * cell;
        const r = cell / 2 + 0.5;
        c.moveTo(x - r, y - r + 3);
        c.lineTo(x - r, y - r);
        c.lineTo(x - r + 3, y - r);
        c.moveTo(x + r - 3, y + r);
        c.lineTo(x + r, y + r);
        c.lineTo(x + r, y + r - 3);
      }
    });
    c.stroke();
  }

  /** The chosen request's outline in each lane, and a line through all. */
  #choice() {
    const { context: c, store: s, view, ink } = this;
    const bottom = this.axis.y;
    const slot = this.chosen < 0 ? -1 : s.slotOf(this.chosen);
    if (slot < 0) return;
    const i = slot % s.size;
    const tight = this.row[i] === crowded;
    // The line stands at the true time; the marks may have moved aside.
    const at = xOf(view, s.at[i]);
    const x = at + this.moved[i] + (tight ? 0 : radius);
    if (at > view.width + cell || x < -2 * cell) return;
    c.strokeStyle = ink.accent;
    c.lineWidth = 1;
    c.globalAlpha = 0.45;
    c.beginPath();
    c.moveTo(at, this.sent.y);
    c.lineTo(at, bottom);
    c.stroke();
    c.globalAlpha = 1;
    c.lineWidth = 1.5;
    for (const lane of this.lanes) {
      const base = lane.y + lane.height - 5;
      c.beginPath();
      if (tight) c.rect(x - 2, lane.y + 4, cell + 3, lane.height - 8);
      else c.arc(x, base - (this.row[i] + 0.5) * cell, 7, 0, 7);
      c.stroke();
    }
  }

  /** A request in words, for those who hear the page.
   * @param {number} number */
  describe(number) {
    const s = this.store;
    const slot = s.slotOf(number);
    if (slot < 0) return `Request ${number}`;
    const said = s.lanes.map((lane, i) => {
      const letter = s.letter(slot, i);
      if (letter === letters[0]) return "";
      const wait = letter === "d" ? ` ${spanWords(s.waitOf(slot, i))}` : "";
      const word = { allow: "passed", delay: "delayed", refuse: "refused", never: "never passes" }[names[letter]];
      return `${lane.title} ${word}${wait}`;
    });
    return `Request ${number} at ${clock(s.time(slot))}: ${said.filter(Boolean).join(", ")}`;
  }
}

/** Puts a piece at a place, once. @param {HTMLElement} e @param {number} x */
function place(e, x) {
  const at = `translateX(${x}px)`;
  if (e.style.transform !== at) e.style.transform = at;
}

/** An ink with a line left out every six pixels.
 * @param {CanvasRenderingContext2D} context @param {string} ink */
function notches(context, ink) {
  const tile = document.createElement("canvas");
  tile.width = 6;
  tile.height = 6;
  const c = tile.getContext("2d");
  if (!c) return null;
  c.fillStyle = ink;
  c.fillRect(0, 0, 6, 5);
  return context.createPattern(tile, "repeat");
}

/** Adds a verdict's mark to a path.
 * @param {Path2D} path @param {number} verdict @param {number} x @param {number} y */
function mark(path, verdict, x, y) {
  switch (verdict) {
    case 1:
      path.moveTo(x + radius, y);
      path.arc(x, y, radius, 0, 7);
      return;
    case 2:
      path.moveTo(x + radius - 0.6, y);
      path.arc(x, y, radius - 0.6, 0, 7);
      return;
    case 3: {
      const r = radius - 0.7;
      path.moveTo(x - r, y - r);
      path.lineTo(x + r, y + r);
      path.moveTo(x + r, y - r);
      path.lineTo(x - r, y + r);
      return;
    }
    case 4: {
      const r = radius - 0.4;
      path.rect(x - r, y - r, 2 * r, 2 * r);
      path.moveTo(x - r, y + r);
      path.lineTo(x + r, y - r);
    }
  }
}
