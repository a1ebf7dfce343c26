// A room beside the one that it was made from: the table comes from the server,
// anew when requests have come, once a second at most and only while it is on
// screen.

const pause = 1000;

export class Comparison {
  /** @param {Document} page */
  constructor(page) {
    this.page = page;
    this.seen = false;
    this.asked = -Infinity;
    this.asking = false;
    this.stale = false;
    this.watch = new IntersectionObserver((entries) => {
      this.seen = entries.some((e) => e.isIntersecting);
      this.draw(false, performance.now());
    });
    const part = this.part;
    if (part && part.childElementCount > 0) this.watch.observe(part);
  }

  get part() {
    const e = this.page.querySelector("[data-compare]");
    return e instanceof HTMLElement ? e : null;
  }

  /** @param {boolean} changed whether requests have come @param {number} ms */
  draw(changed, ms) {
    const part = this.part;
    if (!part || part.childElementCount === 0) return;
    this.stale ||= changed;
    if (!this.stale || !this.seen || this.asking || ms - this.asked < pause || part.contains(this.page.activeElement)) return;
    this.stale = false;
    this.asked = ms;
    void this.#ask(part);
  }

  /** @param {HTMLElement} part */
  async #ask(part) {
    this.asking = true;
    const answer = await fetch(part.dataset.compare ?? "").catch(() => null);
    this.asking = false;
    if (!answer?.ok) return;
    const template = document.createElement("template");
    template.innerHTML = await answer.text();
    const fresh = template.content.firstElementChild;
    if (fresh && !part.contains(this.page.activeElement)) part.replaceChildren(...fresh.childNodes);
  }
}
