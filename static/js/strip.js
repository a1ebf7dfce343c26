// The drawing of the draft: bursts are bars that can be taken hold of, rates are
// painted cell by cell, all else shows as columns. Every gesture rewrites the
// notation's text, and the text is what is drawn.

import { count } from "./format.js";
import { addBurst, paint, rates, ratesOf, remove, shapeBurst, stepOf } from "./draft.js";

/** @typedef {import("./draft.js").Drawn} Drawn */
/** @typedef {import("./draft.js").Shape} Shape */

/** How many cells are painted in the span that is shown. */
const cells = 40;

const out = 28; // how far beside the strip a bar has to be let go to be taken out
const still = 4; // how far a pointer may move in a click
const high = 1000; // the requests of a bar that is as high as the strip

/** The place of the highest rate that painting offers up to one.
 * @param {number} rate */
const nearest = (rate) => rates.findLastIndex((r) => r <= rate);

export class Strip {
  /**
   * @param {HTMLElement} section
   * @param {object} on
   * @param {(drawn: Drawn, done: boolean) => void} on.change takes in what was
   *   drawn; done when the gesture has ended
   * @param {() => string} on.text the notation as it stands
   * @param {() => number} on.size how many requests a new burst has
   * @param {(text: string) => void} on.say
   * @param {() => void} on.span the shown span has changed
   */
  constructor(section, on) {
    const find = (/** @type {string} */ s) => /** @type {HTMLElement} */ (section.querySelector(s));
    this.section = section;
    this.on = on;
    this.area = find("[data-strip]");
    this.columns = find("[data-columns]");
    this.painter = find("[data-painter]");
    this.hint = find("[data-draft-hint]");
    this.ruler = find("[data-ruler]");
    this.spanChoice = /** @type {HTMLSelectElement} */ (section.querySelector("[data-draft-span]"));
    /** @type {Drawn} */
    this.drawn = { text: "", shapes: [] };
    /** The requests that are not shapes, by cell. @type {number[]} */
    this.others = [];
    this.cell = 0; // the one that the painter's keys paint
    /** @type {Map<number, HTMLButtonElement>} the bars by their shapes' places */
    this.bars = new Map();
    /** Whether the notation is not one that can be drawn. */
    this.wrong = false;
    this.spanChoice.addEventListener("change", () => {
      this.draw();
      on.span();
    });
    section.addEventListener("change", (e) => {
      if (e.target instanceof HTMLInputElement && e.target.name === "draft-mode") this.draw();
    });
    this.#listen();
  }

  get cells() {
    return cells;
  }

  get span() {
    return Number(this.spanChoice.value);
  }

  get width() {
    return Math.max(1, this.area.clientWidth);
  }

  get painting() {
    const chosen = this.section.querySelector('input[name="draft-mode"]:checked');
    return chosen instanceof HTMLInputElement && chosen.value === "paint";
  }

  /** @param {Drawn} drawn @param {number[]} [others] */
  show(drawn, others) {
    this.drawn = drawn;
    if (others) this.others = others;
    this.wrong = false;
    this.draw();
  }

  /** The notation has a mistake: it cannot be drawn on until that is mended. */
  stop() {
    this.wrong = true;
    this.draw();
  }

  /** Whether what is drawn is the notation as it stands. */
  get current() {
    return !this.wrong && this.drawn.text === this.on.text();
  }

  /** @param {Drawn} drawn @param {boolean} done */
  #change(drawn, done) {
    this.drawn = drawn;
    this.draw();
    this.on.change(drawn, done);
  }

  /** @param {number} n */
  #height(n) {
    return 18 + (Math.log10(Math.max(1, n)) / Math.log10(high)) * 46;
  }

  draw() {
    if (this.section.hidden) return;
    const { span, width } = this;
    const painting = this.painting;
    this.area.classList.toggle("painting", painting);
    // Bars.
    const seen = new Set();
    this.drawn.shapes.forEach((s, i) => {
      if (s.kind !== "burst" || s.at > span) return;
      seen.add(i);
      let bar = this.bars.get(i);
      if (!bar) {
        bar = document.createElement("button");
        bar.type = "button";
        bar.className = "bar";
        this.bars.set(i, bar);
        this.area.append(bar);
      }
      bar.dataset.shape = String(i);
      const label = `Burst of ${count(s.n)} at +${s.at / 1e6} s`;
      if (bar.getAttribute("aria-label") !== label) bar.setAttribute("aria-label", label);
      bar.textContent = count(s.n);
      bar.style.left = `${(s.at / span) * width}px`;
      bar.style.setProperty("--bar", `${Math.min(64, this.#height(s.n))}px`);
      bar.disabled = painting || this.wrong;
    });
    for (const [i, bar] of this.bars) {
      if (seen.has(i)) continue;
      const focused = document.activeElement === bar;
      bar.remove();
      this.bars.delete(i);
      if (focused) this.#focusNear(i);
    }
    // Columns: painted rates and what cannot be drawn by hand.
    const cell = span / cells;
    const steady = ratesOf(this.drawn.shapes, cell, cells);
    const columns = [];
    for (let c = 0; c < cells; c++) {
      const rate = steady[c] + ((this.others[c] ?? 0) * 1e6) / cell;
      if (rate <= 0) continue;
      const column = document.createElement("span");
      column.style.left = `${(c / cells) * 100}%`;
      column.style.width = `${100 / cells}%`;
      column.style.height = `${Math.min(100, (Math.log10(1 + rate) / Math.log10(1 + high)) * 100)}%`;
      columns.push(column);
    }
    this.columns.replaceChildren(...columns);
    // The painter.
    this.painter.hidden = !painting;
    if (painting) {
      this.cell = Math.min(cells - 1, this.cell);
      const rate = Math.round(steady[this.cell] * 100) / 100;
      this.painter.style.left = `${(this.cell / cells) * 100}%`;
      this.painter.style.width = `${100 / cells}%`;
      this.painter.setAttribute("aria-label", `Rate at +${(this.cell * cell) / 1e6} s`);
      this.painter.setAttribute("aria-valuenow", String(nearest(rate)));
      this.painter.setAttribute("aria-valuetext", rate > 0 ? `${rate} a second` : "none");
    }
    const empty = this.drawn.text.trim() === "";
    this.area.classList.toggle("stopped", this.wrong);
    this.hint.textContent = this.wrong ? "Mend the mistake in the notation to draw on." : !empty ? "" : painting ? "Drag to paint rates; at the bottom to erase." : "Click to place a burst. Drag it along, or up for more; beside the strip to take it out.";
    const step = span / 5;
    this.ruler.replaceChildren(
      ...[0, 1, 2, 3, 4, 5].map((k) => {
        const label = document.createElement("span");
        label.textContent = `+${(k * step) / 1e6} s`;
        label.style.left = `${k * 20}%`;
        return label;
      }),
    );
  }

  /** @param {number} i the place of a bar that has gone */
  #focusNear(i) {
    const left = [...this.bars.keys()].sort((a, b) => Math.abs(a - i) - Math.abs(b - i));
    const next = left.length > 0 ? this.bars.get(left[0]) : this.section.querySelector("[data-draft-send]");
    if (next instanceof HTMLElement) next.focus();
  }

  /** @param {number} x @param {boolean} fine */
  #timeAt(x, fine) {
    const step = fine ? 1000 : stepOf(this.span);
    const at = (Math.min(this.width, Math.max(0, x)) / this.width) * this.span;
    return Math.round(at / step) * step;
  }

  /** The rate at a height. @param {number} y from the top */
  #rateAt(y) {
    const part = 1 - y / Math.max(1, this.area.clientHeight);
    return rates[Math.min(rates.length - 1, Math.max(0, Math.round(part * (rates.length - 1))))];
  }

  #listen() {
    this.area.addEventListener("pointerdown", (e) => {
      if (e.button !== 0) return;
      const box = this.area.getBoundingClientRect();
      const place = (/** @type {PointerEvent} */ p) => ({ x: p.clientX - box.left, y: p.clientY - box.top });
      e.preventDefault();
      if (!this.current) return;
      if (this.painting) this.#paint(e, place);
      else this.#hold(e, place);
    });
    this.area.addEventListener("keydown", (e) => {
      if (e.ctrlKey || e.metaKey || e.altKey || !this.current) return;
      const bar = e.target instanceof HTMLElement ? e.target.closest("[data-shape]") : null;
      if (bar instanceof HTMLElement) this.#barKey(e, Number(bar.dataset.shape));
      else if (e.target === this.painter) this.#painterKey(e);
    });
  }

  /** Takes hold of a bar, or places a new one.
   * @param {PointerEvent} e @param {(p: PointerEvent) => {x: number, y: number}} place */
  #hold(e, place) {
    const begun = place(e);
    const bar = e.target instanceof Element ? e.target.closest("[data-shape]") : null;
    let i = bar instanceof HTMLElement ? Number(bar.dataset.shape) : -1;
    if (i < 0) {
      this.#change(addBurst(this.drawn, this.on.size(), this.#timeAt(begun.x, e.altKey)), false);
      i = this.drawn.shapes.length - 1;
    }
    this.bars.get(i)?.focus({ preventScroll: true });
    const { at, n } = this.drawn.shapes[i];
    const offset = (at / this.span) * this.width - begun.x;
    let moved = false;
    let gone = false;
    this.#follow(e, (p) => {
      const { x, y } = place(p);
      moved ||= Math.hypot(x - begun.x, y - begun.y) > still;
      if (!moved) return;
      gone = x < -out || x > this.width + out;
      this.bars.get(i)?.classList.toggle("gone", gone);
      if (gone) return;
      const to = { at: Math.abs(x - begun.x) > still ? this.#timeAt(x + offset, p.altKey) : at, n };
      // Half as far up again makes it half as many more.
      if (Math.abs(y - begun.y) > 2 * still) to.n = Math.max(1, Math.round(n * 2 ** ((begun.y - y) / 40)));
      this.#change(shapeBurst(this.drawn, i, to), false);
    }, () => {
      if (gone) this.#change(remove(this.drawn, i), true);
      else this.on.change(this.drawn, true);
      const s = this.drawn.shapes[i];
      if (!gone && s) this.on.say(`Burst of ${count(s.n)} at +${s.at / 1e6} s`);
    });
  }

  /** @param {PointerEvent} e @param {(p: PointerEvent) => {x: number, y: number}} place */
  #paint(e, place) {
    const before = this.drawn;
    /** @type {Map<number, number>} */
    const strokes = new Map();
    let last = -1;
    const stroke = (/** @type {PointerEvent} */ p) => {
      const { x, y } = place(p);
      const c = Math.min(cells - 1, Math.max(0, Math.floor((x / this.width) * cells)));
      const rate = this.#rateAt(y);
      // A fast pointer leaves out cells that it has crossed.
      for (let k = last < 0 ? c : last; ; k += Math.sign(c - k)) {
        strokes.set(k, rate);
        if (k === c) break;
      }
      last = c;
      this.cell = c;
      let drawn = before;
      for (const [k, r] of strokes) drawn = paint(drawn, this.span / cells, k, k, r);
      this.#change(drawn, false);
    };
    stroke(e);
    this.painter.focus({ preventScroll: true });
    this.#follow(e, stroke, () => this.on.change(this.drawn, true));
  }

  /** Follows a pointer until it is let go.
   * @param {PointerEvent} e @param {(p: PointerEvent) => void} move @param {() => void} end */
  #follow(e, move, end) {
    this.area.setPointerCapture(e.pointerId);
    const over = () => {
      this.area.removeEventListener("pointermove", move);
      this.area.removeEventListener("pointerup", over);
      this.area.removeEventListener("pointercancel", over);
      end();
    };
    this.area.addEventListener("pointermove", move);
    this.area.addEventListener("pointerup", over);
    this.area.addEventListener("pointercancel", over);
  }

  /** @param {KeyboardEvent} e @param {number} i */
  #barKey(e, i) {
    const s = this.drawn.shapes[i];
    if (!s) return;
    const step = stepOf(this.span) * (e.shiftKey ? 10 : 1);
    const more = e.shiftKey ? 10 : 1;
    /** @type {Record<string, {at?: number, n?: number}>} */
    const to = { ArrowLeft: { at: s.at - step }, ArrowRight: { at: s.at + step }, ArrowUp: { n: s.n + more }, ArrowDown: { n: s.n - more } };
    if (e.key in to) this.#change(shapeBurst(this.drawn, i, to[e.key]), true);
    else if (e.key === "Delete" || e.key === "Backspace") this.#change(remove(this.drawn, i), true);
    else return;
    e.preventDefault();
    e.stopPropagation();
  }

  /** @param {KeyboardEvent} e */
  #painterKey(e) {
    const cell = this.span / cells;
    const rate = nearest(ratesOf(this.drawn.shapes, cell, cells)[this.cell]);
    const at = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
    const by = { ArrowUp: 1, ArrowDown: -1 }[e.key];
    if (at) {
      this.cell = Math.min(cells - 1, Math.max(0, this.cell + at));
      this.draw();
    } else if (by || e.key === "Delete" || e.key === "Backspace") {
      const to = by ? rates[Math.min(rates.length - 1, Math.max(0, rate + by))] : 0;
      this.#change(paint(this.drawn, cell, this.cell, this.cell, to), true);
    } else return;
    e.preventDefault();
    e.stopPropagation();
  }
}
