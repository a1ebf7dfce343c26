// The chosen request: what the server says of it, in the panel on the right.

import { remember, remembered, textIn } from "./dialect.js";

export class Inspector {
  /** @param {HTMLElement} panel
   * @param {string} address of a request, without its number
   * @param {(number: number) => void} choose */
  constructor(panel, address, choose) {
    this.panel = panel;
    this.address = address;
    this.body = /** @type {HTMLElement} */ (panel.querySelector("[data-inspection]"));
    this.empty = [...this.body.childNodes];
    this.number = -1;
    /** The room has ended: nothing more can be asked. */
    this.ended = false;
    /** Whose answer was opened: it stays so from request to request. */
    this.open = "";
    /** The dialect that was chosen; empty as long as none was. */
    this.dialect = "";
    this.pointed = false;
    panel.addEventListener("click", (e) => this.#clicked(e, choose));
    panel.addEventListener("change", (e) => this.#changed(e));
    panel.addEventListener("pointerdown", () => (this.pointed = true));
    panel.addEventListener("keydown", (e) => {
      this.pointed = false;
      // A choice has the arrows for itself, but closes nothing.
      if (e.key === "Escape" && e.target instanceof HTMLInputElement) choose(-1);
      if (e.key === "ArrowUp" || e.key === "ArrowDown") this.#arrow(e, e.key === "ArrowUp" ? -1 : 1);
    });
  }

  /** Opens the answer above or below, from one that has the focus.
   * @param {KeyboardEvent} e @param {1 | -1} by */
  #arrow(e, by) {
    const links = [...this.body.querySelectorAll("[data-verdict]")].filter((a) => a instanceof HTMLElement);
    const at = links.findIndex((a) => a === document.activeElement);
    if (at < 0 || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return;
    e.preventDefault();
    const next = links[at + by];
    next?.focus();
    next?.click();
  }

  /** @param {MouseEvent} e @param {(number: number) => void} choose */
  #clicked(e, choose) {
    if (!(e.target instanceof Element)) return;
    if (e.target.closest("[data-close]")) choose(-1);
    const link = e.target.closest("[data-verdict]");
    if (!(link instanceof HTMLElement) || e.ctrlKey || e.metaKey || e.shiftKey) return;
    e.preventDefault();
    this.open = link.dataset.verdict ?? "";
    this.#apply(this.body);
    this.#uncover();
  }

  /** Brings the opened answer into view where the verdicts fill the panel. */
  #uncover() {
    const said = [...this.body.querySelectorAll("[data-said]")].find((e) => e instanceof HTMLElement && !e.hidden);
    if (!said) return;
    const from = said.getBoundingClientRect();
    const seen = this.panel.getBoundingClientRect().bottom - from.top;
    if (seen < Math.min(from.height, 200)) said.scrollIntoView({ block: "start" });
  }

  /** @param {Event} e */
  #changed(e) {
    const choice = e.target;
    if (!(choice instanceof HTMLInputElement) || !choice.matches("[data-dialect-choice]")) return;
    this.dialect = choice.value;
    remember(this.dialect);
    this.#apply(this.body);
    // Who chose by pointer means the page with the next key, and not the choice.
    if (this.pointed) choice.blur();
  }

  /** Shows a request; -1 shows none. A newer call overtakes an older one.
   * @param {number} number */
  async show(number) {
    this.number = number;
    this.asked?.abort();
    this.panel.toggleAttribute("data-open", number >= 0);
    if (number < 0) {
      this.body.replaceChildren(...this.empty);
      return;
    }
    const asked = new AbortController();
    this.asked = asked;
    try {
      const answer = await fetch(this.address + number, {
        headers: { Accept: "text/html-fragment" },
        signal: asked.signal,
      });
      if (!answer.ok) throw new Error(this.#why(answer.status));
      this.#put(await answer.text());
    } catch (e) {
      if (asked.signal.aborted) return;
      const p = document.createElement("p");
      p.className = "empty";
      p.textContent = e instanceof Error ? e.message : String(e);
      this.body.replaceChildren(p);
    }
  }

  /** @param {number} status of an answer without an inspection */
  #why(status) {
    if (this.ended) return "This room has ended. What was said of its requests cannot be read any more.";
    return status === 404 ? "This request is not kept any more." : `The server answered ${status}.`;
  }

  /** @param {string} html the server's own fragment */
  #put(html) {
    const template = document.createElement("template");
    template.innerHTML = html;
    this.#apply(template.content);
    // Whoever used a control in here finds the same one focused after.
    const focused = this.body.contains(document.activeElement) ? named(document.activeElement) : "";
    this.body.replaceChildren(template.content);
    if (!focused) return;
    const again = [...this.body.querySelectorAll("a, button, input:checked")].find((e) => named(e) === focused && e.checkVisibility());
    if (again instanceof HTMLElement) again.focus({ preventScroll: true });
  }

  /** Shows what was chosen, as far as it is there.
   * @param {ParentNode} root what the server sent */
  #apply(root) {
    const article = root.querySelector("[data-dialect]");
    if (!(article instanceof HTMLElement)) return;
    const choices = [...root.querySelectorAll("[data-dialect-choice]")].filter((e) => e instanceof HTMLInputElement);
    this.dialect ||= remembered(article.dataset.dialect ?? "", choices.map((e) => e.value));
    article.dataset.dialect = this.dialect;
    for (const choice of choices) choice.checked = choice.value === this.dialect;
    for (const line of root.querySelectorAll("[data-line]")) {
      line.parentElement?.querySelector("[data-copy]")?.setAttribute("data-copy", textIn(line, this.dialect));
    }
    const said = [...root.querySelectorAll("[data-said]")].filter((e) => e instanceof HTMLElement);
    if (!said.some((e) => e.dataset.said === this.open)) return;
    for (const e of said) e.hidden = e.dataset.said !== this.open;
    for (const link of root.querySelectorAll("[data-verdict]")) {
      if (link.getAttribute("data-verdict") === this.open) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }
}

/** What a control is, whatever request it belongs to; empty for none.
 * @param {Element | null} e */
function named(e) {
  if (e?.matches("[data-dialect-choice]")) return "dialect";
  return e?.getAttribute("data-verdict") ?? e?.getAttribute("aria-label") ?? "";
}
