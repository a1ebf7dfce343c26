// The score by key: fetched when it is opened, and renewed while it is behind and
// can be seen.

import { setText } from "./panels.js";
import { Renewal } from "./renewal.js";

/** @typedef {import("./store.js").Store} Store */

export class ByKey {
  /** @param {Document} page */
  constructor(page) {
    this.page = page;
    this.policy = "";
    this.open = false;
    this.seen = true;
    this.ended = false;
    /** What the room has come to, and what the table shows of it. */
    this.room = { decided: 0, generation: -1 };
    this.shown = { decided: -1, generation: -1, policy: "" };
    this.renewal = new Renewal(() => this.#get(), () => this.#behind(), 500);
    this.eye = new IntersectionObserver((entries) => {
      this.seen = entries.some((e) => e.isIntersecting);
      this.renewal.poke();
    });
    page.addEventListener("visibilitychange", () => this.renewal.poke());
    this.collect();
  }

  /** Finds the elements; again after the policies have changed. */
  collect() {
    this.root = this.page.querySelector("[data-by-key]");
    if (!(this.root instanceof HTMLElement)) return;
    this.fold = this.root.querySelector("details");
    this.body = this.root.querySelector("[data-keys]");
    this.choice = this.root.querySelector("select");
    this.held = this.root.querySelector("[data-held-keys]");
    this.shown = { decided: -1, generation: -1, policy: "" };
    this.eye.disconnect();
    this.eye.observe(this.root);
    if (this.choice && [...this.choice.options].some((o) => o.value === this.policy)) this.choice.value = this.policy;
    this.choice?.addEventListener("change", () => this.#choose());
    this.#choose();
    this.fold?.addEventListener("toggle", () => {
      this.open = this.fold?.open ?? false;
      this.renewal.now();
    });
    if (this.fold) this.fold.open = this.open;
  }

  #choose() {
    this.policy = this.choice?.value ?? "";
    this.root?.querySelector("[data-keys-page]")?.setAttribute("href", this.#address());
    this.renewal.now();
  }

  #address() {
    return `${this.root instanceof HTMLElement ? this.root.dataset.byKey : ""}?policy=${encodeURIComponent(this.policy)}`;
  }

  /** Takes note of how far the room is. @param {Store} store */
  draw(store) {
    setText(this.held, store.last.held);
    this.room = { decided: store.expected, generation: store.last.gen };
    this.renewal.poke();
  }

  #behind() {
    if (!this.open || !this.seen || this.ended || this.page.hidden) return false;
    const { decided, generation, policy } = this.shown;
    return decided < this.room.decided || generation !== this.room.generation || policy !== this.policy;
  }

  async #get() {
    const asked = this.policy;
    const answer = await fetch(this.#address(), { headers: { Accept: "text/html-fragment" } });
    if (answer.status === 404) this.ended = true;
    if (!answer.ok) throw new Error(answer.statusText);
    const template = document.createElement("template");
    template.innerHTML = await answer.text(); // the server's own fragment
    const fresh = template.content.firstElementChild;
    if (!(fresh instanceof HTMLElement) || asked !== this.policy) return;
    this.shown = { decided: Number(fresh.dataset.keysDecided), generation: Number(fresh.dataset.keysGeneration), policy: asked };
    this.#put(fresh);
  }

  /** Puts the table in the place of the one that stands there, which keeps its
   * scroll position and the focus. @param {HTMLElement} fresh */
  #put(fresh) {
    const there = this.body?.firstElementChild;
    const [from, to] = [fresh, there].map((e) => e?.querySelector(".scroll"));
    if (!there || !from || !to) {
      this.body?.replaceChildren(fresh);
      return;
    }
    to.setAttribute("aria-label", from.getAttribute("aria-label") ?? "");
    to.replaceChildren(...from.childNodes);
    setText(there.querySelector(".covers"), fresh.querySelector(".covers")?.textContent ?? "");
  }
}
