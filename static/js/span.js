// A selected span of time: its numbers come from the server and stand in the
// panel of the chosen request, in whose place it is.

import { clock, span as words } from "./format.js";

/** How often a span is asked for again while requests still come in it. */
const pause = 500;

export class Span {
  /**
   * @param {HTMLElement} panel
   * @param {string} address of the spans
   * @param {(selected: {from: number, to: number} | null) => void} select shows a
   *   span on the time line; null for none
   * @param {(text: string) => void} say
   * @param {{changed: () => void, back: () => void}} on changed is called when it
   *   needs to be drawn, back when the focus has to go elsewhere
   */
  constructor(panel, address, select, say, on) {
    this.panel = panel;
    this.address = address;
    this.select = select;
    this.say = say;
    this.on = on;
    this.body = /** @type {HTMLElement} */ (panel.querySelector("[data-inspection]"));
    this.empty = [...this.body.childNodes];
    /** In whole microseconds of lab time. @type {{from: number, to: number} | null} */
    this.chosen = null;
    /** Where a span begins that is not ended yet; -1 for none. */
    this.begun = -1;
    this.asked = -Infinity;
    this.stale = false;
    panel.addEventListener("click", (e) => {
      if (e.target instanceof Element && e.target.closest("[data-close-span]")) this.close();
    });
    panel.addEventListener("submit", (e) => this.#typed(e));
    // Whoever writes in it is not disturbed; then it catches up.
    panel.addEventListener("focusout", () => {
      if (this.stale) on.changed();
    });
  }

  /** Begins a span at an instant, or ends the one that was begun.
   * @param {number} at */
  mark(at) {
    if (this.begun < 0) {
      this.begun = at;
      this.say(`A span begins at ${clock(at)}. Press B again where it ends.`);
      return;
    }
    const from = Math.min(this.begun, at);
    const to = Math.max(this.begun, at);
    this.begun = -1;
    // Both ends belong to it.
    this.show(from, to + 1);
  }

  /** @param {number} from @param {number} to */
  show(from, to) {
    this.chosen = { from: Math.max(0, Math.floor(from)), to: Math.max(1, Math.ceil(to)) };
    this.select(this.chosen);
    void this.#ask(true);
  }

  close() {
    this.begun = -1;
    if (!this.chosen) return;
    this.chosen = null;
    this.select(null);
    this.panel.removeAttribute("data-open");
    const inside = this.panel.contains(document.activeElement);
    if (this.body.querySelector("[data-selection]")) this.body.replaceChildren(...this.empty);
    if (inside) this.on.back();
  }

  /** Another thing takes the panel. */
  leave() {
    if (!this.chosen) return;
    this.chosen = null;
    this.select(null);
  }

  /** @param {boolean} changed whether requests have come @param {number} now lab time
   * @param {number} ms
   * @returns {boolean} whether it is still out of date */
  draw(changed, now, ms) {
    if (!this.chosen) return false;
    if (changed && this.chosen.to >= now - 2e6) this.stale = true;
    if (!this.stale || this.body.contains(document.activeElement)) return false;
    if (ms - this.asked < pause) return true;
    void this.#ask(false);
    return false;
  }

  /** @param {boolean} aloud */
  async #ask(aloud) {
    const chosen = this.chosen;
    if (!chosen) return;
    this.asked = performance.now();
    this.stale = false;
    const answer = await fetch(`${this.address}?from=${chosen.from}&to=${chosen.to}`, { headers: { Accept: "text/html-fragment" } }).catch(() => null);
    if (chosen !== this.chosen) return;
    if (!answer?.ok) {
      if (aloud) this.say("The numbers of the span cannot be read just now. Try again in a moment.");
      return;
    }
    const template = document.createElement("template");
    template.innerHTML = await answer.text();
    if (chosen !== this.chosen) return;
    const facts = template.content.querySelector(".facts")?.textContent ?? "";
    const active = document.activeElement;
    const focused = active && this.body.contains(active) ? active.getAttribute("name") : null;
    this.body.replaceChildren(template.content);
    const again = focused && this.body.querySelector(`[name="${CSS.escape(focused)}"]`);
    if (again instanceof HTMLElement) again.focus({ preventScroll: true });
    this.panel.setAttribute("data-open", "");
    if (aloud) this.say(`Selected ${words(chosen.to - chosen.from)}: ${facts}`);
  }

  /** @param {Event} e */
  async #typed(e) {
    const form = e.target;
    if (!(form instanceof HTMLFormElement) || !form.matches("[data-span-form]")) return;
    e.preventDefault();
    const query = new URLSearchParams();
    for (const [name, value] of new FormData(form)) query.set(name, String(value).trim());
    const answer = await fetch(`${this.address}?${query}`, { headers: { Accept: "text/html-fragment" } }).catch(() => null);
    const error = form.querySelector("[data-error]");
    if (!answer?.ok) {
      const said = await answer?.json().catch(() => null);
      if (error instanceof HTMLElement) {
        error.textContent = said?.detail ?? "The server cannot be reached just now. Try again in a moment.";
        error.hidden = false;
      }
      return;
    }
    const template = document.createElement("template");
    template.innerHTML = await answer.text();
    const part = template.content.querySelector("[data-selection]");
    if (part instanceof HTMLElement) this.show(Number(part.dataset.from), Number(part.dataset.to));
  }
}
