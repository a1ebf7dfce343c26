// A room beside the one that it was made from: the table comes from the server,
// anew when requests have come, every two seconds at most and not while somebody
// reads in it by keyboard. The time line marks what it tells.

const pause = 2000;

export class Comparison {
  /** @param {Document} page
   * @param {(lanes: Set<number>[]) => void} mark told which requests each lane
   *   decided differently from the original
   * @param {() => void} changed called when it needs to be drawn */
  constructor(page, mark, changed) {
    this.page = page;
    this.mark = mark;
    this.asked = -Infinity;
    this.asking = false;
    this.stale = false;
    const part = this.part;
    if (!part || part.childElementCount === 0) return;
    this.changed = changed;
    // Whoever reads in it by keyboard is not disturbed; then it catches up.
    part.addEventListener("focusout", () => changed());
    this.#marks(part);
  }

  /** @param {HTMLElement} part */
  #marks(part) {
    const rows = [...part.querySelectorAll("[data-differing]")];
    this.mark(rows.map((row) => new Set((row.getAttribute("data-differing") ?? "").split(" ").filter(Boolean).map(Number))));
  }

  /** Where the two rooms part, in microseconds of lab time; -1 for none. */
  get since() {
    const at = this.part?.dataset.since;
    return at ? Number(at) : -1;
  }

  get part() {
    const e = this.page.querySelector("[data-compare]");
    return e instanceof HTMLElement ? e : null;
  }

  /** @param {boolean} changed whether requests have come @param {number} ms
   * @returns {boolean} whether it is still out of date */
  draw(changed, ms) {
    const part = this.part;
    if (!part || part.childElementCount === 0) return false;
    this.stale ||= changed;
    if (!this.stale || this.asking || part.contains(this.page.activeElement)) return false;
    if (ms - this.asked < pause) return true;
    this.stale = false;
    this.asked = ms;
    void this.#ask(part);
    return false;
  }

  /** @param {HTMLElement} part */
  async #ask(part) {
    this.asking = true;
    const answer = await fetch(part.dataset.compare ?? "").catch(() => null);
    this.asking = false;
    if (this.stale) this.changed?.();
    if (!answer?.ok) return;
    const template = document.createElement("template");
    template.innerHTML = await answer.text();
    const fresh = template.content.firstElementChild;
    if (!fresh) return;
    if (part.contains(this.page.activeElement)) {
      this.stale = true;
      return;
    }
    part.replaceChildren(...fresh.childNodes);
    this.#marks(part);
  }
}
