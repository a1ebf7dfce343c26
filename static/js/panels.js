// The words and small pictures beside the time line, rewritten from each frame.

import { count, missed } from "./format.js";

/** @typedef {import("./store.js").Store} Store */

/** Sets a text only where it differs, so that nothing is laid out in vain.
 * @param {Element | null | undefined} e @param {string} text */
export function setText(e, text) {
  if (e && e.textContent !== text) e.textContent = text;
}

/** @param {Element | null | undefined} e @param {string} name @param {string | number} value */
function setAttribute(e, name, value) {
  const text = String(value);
  if (e && e.getAttribute(name) !== text) e.setAttribute(name, text);
}

export class Panels {
  /** @param {Document} page */
  constructor(page) {
    this.page = page;
    this.collect();
  }

  /** Finds the elements; again after the lanes have been replaced. */
  collect() {
    this.lanes = [...this.page.querySelectorAll("[data-lane]")].map((e) => ({
      level: e.querySelector("[data-level]"),
      next: e.querySelector("[data-next]"),
      fill: e.querySelector("[data-fill]"),
      under: e.querySelector("[data-under]"),
      marks: e.querySelector("[data-marks]"),
      hand: e.querySelector("[data-hand]"),
    }));
    this.scores = [...this.page.querySelectorAll("[data-score]")].map((row) => ({
      row,
      cells: [...row.querySelectorAll("[data-cell]")],
    }));
  }

  /** @param {Store} store
   * @param {Store} [shown] what the page shows of the past */
  draw(store, shown = store) {
    const f = store.last;
    this.lanes?.forEach((lane, i) => {
      const m = shown.last.meters[i];
      if (!m) return;
      setText(lane.level, m.words);
      setText(lane.next, m.note ?? "");
      setAttribute(lane.fill, "width", m.fill);
      setAttribute(lane.under, "width", m.under ?? 0);
      setAttribute(lane.marks, "d", (m.marks ?? []).map((x) => `M${x} 2V18`).join(""));
      setAttribute(lane.hand, "d", m.hand < 0 ? "" : `M${m.hand} 0V20`);
    });
    this.scores?.forEach(({ row, cells }, i) => {
      const score = shown.scores[i];
      if (!score) return;
      cells.forEach((cell, n) => {
        setText(cell, score.c[n]);
        cell.classList.toggle("zero", score.c[n] === "0");
      });
      row.classList.toggle("over", score.over === true);
    });
    const running = Boolean(f.stream);
    swap(this.page.querySelector("[data-pause]"), this.page.querySelector("[data-resume]"), f.paused);
    const stop = this.page.querySelector('[data-send="stop"]');
    // Who has stopped the stream by keyboard can start another.
    if (!running && stop === this.page.activeElement) /** @type {HTMLElement | null} */ (this.page.querySelector('[data-send="stream"]'))?.focus();
    disable(stop, !running);
    const pace = /** @type {HTMLSelectElement | null} */ (this.page.querySelector("[data-pace]"));
    if (pace && this.page.activeElement !== pace && pace.value !== f.pace) pace.value = f.pace;
    setText(this.page.querySelector("[data-rate]"), f.stream ?? "");
    const levels = this.page.querySelector("[data-levels]");
    setText(levels, shown.last.levels ?? "");
    setAttribute(levels, "title", shown.last.levels ?? "");
    const ahead = this.page.querySelector("[data-ahead]");
    setText(ahead, f.ahead ?? "");
    const jump = ahead?.closest("form");
    if (jump) jump.hidden = !f.ahead;
    setText(this.page.querySelector("[data-undecided]"), f.undecided ?? "");
    setText(this.page.querySelector("[data-missed]"), missed(store.missed));
    setText(this.page.querySelector("[data-differing]"), count(store.differing));
    const invite = this.page.querySelector("[data-invite]");
    if (invite instanceof HTMLElement) invite.hidden = store.differing > 0 || store.lanes.length < 2;
    for (const button of this.page.querySelectorAll("[data-differ]")) disable(button, store.differing === 0);
  }
}

/** Shows one button of a pair in the place of the other; the focus goes along.
 * @param {Element | null} first @param {Element | null} second
 * @param {boolean} toSecond */
function swap(first, second, toSecond) {
  if (!(first instanceof HTMLButtonElement) || !(second instanceof HTMLButtonElement)) return;
  if (first.hidden === toSecond) return;
  const [gone, come] = toSecond ? [first, second] : [second, first];
  const focused = document.activeElement === gone;
  come.hidden = false;
  gone.hidden = true;
  if (focused) come.focus();
}

/** @param {Element | null} e @param {boolean} disabled */
function disable(e, disabled) {
  if (e instanceof HTMLButtonElement) e.disabled = disabled;
}
