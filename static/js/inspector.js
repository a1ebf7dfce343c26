// The chosen request: what the server says of it, in the panel on the right.

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
    /** Whose response is open: it stays so from request to request. */
    this.open = "";
    panel.addEventListener("toggle", (e) => this.#toggled(e), true);
    panel.addEventListener("click", (e) => {
      if (e.target instanceof Element && e.target.closest("[data-close]")) choose(-1);
    });
  }

  /** @param {Event} e */
  #toggled(e) {
    if (!(e.target instanceof HTMLDetailsElement) || !e.target.open) return;
    this.open = e.target.dataset.verdict ?? "";
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
    const wanted = [...template.content.querySelectorAll("details")].find((d) => d.dataset.verdict === this.open);
    if (wanted) {
      for (const d of template.content.querySelectorAll("details")) d.open = d === wanted;
    }
    // Whoever pressed a button in here finds the same button focused after.
    const focused = this.body.contains(document.activeElement) ? document.activeElement?.getAttribute("aria-label") : null;
    this.body.replaceChildren(template.content);
    if (focused) {
      const again = [...this.body.querySelectorAll("a, button")].find((e) => e.getAttribute("aria-label") === focused);
      if (again instanceof HTMLElement) again.focus({ preventScroll: true });
    }
  }
}
