// The instant that the page shows: now, or one that has passed. The playhead on
// the axis takes it there; what the page says of it comes from the server.

import { clock, span } from "./format.js";
import { setText } from "./panels.js";
import { Store } from "./store.js";

/** @typedef {import("./timeline.js").Timeline} Timeline */

/** How many requests the moment's own store has room for. */
const rows = 32;

/** How often the playhead's attributes are renewed while nobody moves it, in
 * microseconds. */
const toldEvery = 500_000;

/** How far the playhead goes by a key, in microseconds. */
const keySteps = { ArrowLeft: -100_000, ArrowDown: -100_000, ArrowRight: 100_000, ArrowUp: 100_000, PageDown: -1_000_000, PageUp: 1_000_000 };

export class Cursor {
  /**
   * @param {Document} page
   * @param {string} address of the room
   * @param {Store} store
   * @param {() => Timeline} timeline
   * @param {() => void} changed called when it needs to be drawn
   * @param {(text: string) => void} say says something in the live region
   */
  constructor(page, address, store, timeline, changed, say) {
    this.page = page;
    this.address = address;
    this.store = store;
    this.timeline = timeline;
    this.changed = changed;
    this.say = say;
    /** Lab time in whole microseconds; -1 for now. */
    this.at = -1;
    /** What the page shows of the past; null for now, or until it has come.
     * @type {Store | null} */
    this.moment = null;
    this.asking = false;
    /** What the playhead's attributes tell. */
    this.told = "";
    this.bar = /** @type {HTMLElement} */ (page.querySelector("[data-past]"));
    this.head = /** @type {HTMLElement} */ (page.querySelector("[data-playhead]"));
    this.reset = page.querySelector("[data-reset]");
    this.later = document.createElement("div");
    this.later.className = "later";
    this.later.hidden = true;
    this.head.closest("[data-stage]")?.append(this.later);
    this.#listen();
  }

  /** Goes to an instant; one that is not before now is now.
   * @param {number} us
   * @param {boolean} [aloud] whether to say so */
  go(us, aloud = false) {
    const now = this.store.last.now;
    const at = us >= now ? -1 : Math.max(0, Math.floor(us));
    if (at !== this.at) {
      this.at = at;
      if (at < 0) this.moment = null;
      this.store.dirty.panels = this.store.dirty.requests = true;
      this.#address();
      if (at >= 0) void this.#ask();
      if (at >= 0) this.timeline().reveal(at);
      else this.timeline().setFollow(true);
      this.changed();
    }
    if (aloud) this.say(at < 0 ? "Now" : `At ${clock(at)}, ${span(now - at)} ago`);
  }

  /** To just before the newest request up to the instant shown: what one changes
   * there, changes what it gets. */
  back() {
    const s = this.store;
    const slot = s.slotAfter(this.at < 0 ? Infinity : this.at) - 1;
    this.go(slot >= s.head ? s.time(slot) - 1 : 0, true);
  }

  /** To the next request. */
  forward() {
    const s = this.store;
    const slot = s.slotAfter(this.at);
    this.go(slot < s.tail ? s.time(slot) : Infinity, true);
  }

  /** Asks for the moment: one question at a time, the newest instant last. */
  async #ask() {
    if (this.asking) return;
    this.asking = true;
    for (let at = -1; this.at >= 0 && at !== this.at; ) {
      at = this.at;
      const answer = await fetch(`${this.address}/moment?at=${at}`).catch(() => null);
      if (!answer?.ok) {
        const said = await answer?.json().catch(() => null);
        this.say(said?.detail ?? "The past cannot be read just now.");
        this.asking = false;
        this.go(Infinity);
        return;
      }
      /** @type {Whole} */
      const whole = await answer.json();
      if (this.at < 0) break;
      this.moment = new Store(whole, rows);
      this.store.dirty.panels = this.store.dirty.requests = true;
      this.changed();
    }
    this.asking = false;
  }

  /** The policies have changed or the room was reset: what was asked is stale.
   * @param {boolean} reset */
  again(reset) {
    if (this.at < 0) return;
    if (reset) this.go(Infinity);
    else void this.#ask();
  }

  #address() {
    const url = new URL(this.page.location.href);
    if (this.at < 0) url.searchParams.delete("at");
    else url.searchParams.set("at", String(this.at));
    history.replaceState(null, "", url);
  }

  /** @param {number} now lab time */
  draw(now) {
    const at = this.at < 0 ? now : this.at;
    const t = this.timeline();
    const x = t.xAt(at);
    // Beside the view it stays at hand, at the edge.
    const shown = Math.min(Math.max(x, 0), t.view.width);
    this.head.classList.toggle("beside", Math.abs(shown - x) > 1);
    this.head.style.transform = `translateX(${shown}px)`;
    this.later.hidden = this.at < 0 || x > t.view.width;
    if (!this.later.hidden) {
      this.later.style.left = `${t.sent.x + Math.max(0, x)}px`;
      this.later.style.height = `${t.axis.y}px`;
    }
    if (this.bar.hidden !== this.at < 0) {
      this.bar.hidden = this.at < 0;
      t.stage.toggleAttribute("data-back-then", this.at >= 0);
      // Who looks back on what happened does not want it gone.
      if (this.reset instanceof HTMLButtonElement) this.reset.disabled = this.at >= 0;
    }
    if (this.at >= 0) {
      setText(this.bar.querySelector("[data-past-clock]"), clock(at));
      setText(this.bar.querySelector("[data-past-ago]"), span(Math.max(0, now - at)));
      const field = this.bar.querySelector("[data-past-at]");
      if (field instanceof HTMLInputElement) field.value = String(at);
    }
    // Who hears the page needs no number that changes with every frame.
    const told = Math.floor(now / toldEvery) + (this.at < 0 ? "" : `/${at}`);
    if (told === this.told) return;
    this.told = told;
    this.head.setAttribute("aria-valuetext", this.at < 0 ? "now" : clock(at));
    this.head.setAttribute("aria-valuemax", String(Math.floor(now)));
    this.head.setAttribute("aria-valuenow", String(Math.floor(at)));
  }

  #listen() {
    const axis = this.head.closest("[data-track]");
    const to = (/** @type {Event} */ e) => {
      const t = this.timeline();
      const x = /** @type {PointerEvent} */ (e).clientX - t.stage.getBoundingClientRect().left - t.sent.x;
      this.go(Math.max(0, t.timeOf(x)));
    };
    axis?.addEventListener("pointerdown", (e) => {
      const { button, pointerId } = /** @type {PointerEvent} */ (e);
      if (button !== 0) return;
      e.stopPropagation();
      axis.setPointerCapture(pointerId);
      to(e);
      this.head.focus({ preventScroll: true });
      const move = (/** @type {Event} */ m) => to(m);
      const end = () => {
        axis.removeEventListener("pointermove", move);
        axis.removeEventListener("pointerup", end);
        axis.removeEventListener("pointercancel", end);
      };
      axis.addEventListener("pointermove", move);
      axis.addEventListener("pointerup", end);
      axis.addEventListener("pointercancel", end);
    });
    this.head.addEventListener("keydown", (e) => {
      if (e.shiftKey || e.ctrlKey || e.metaKey || e.altKey) return;
      const step = /** @type {Record<string, number>} */ (keySteps)[e.key];
      const from = this.at < 0 ? this.store.last.now : this.at;
      if (step) this.go(from + step, true);
      else if (e.key === "Home") this.go(0, true);
      else if (e.key === "End") this.go(Infinity, true);
      else return;
      e.preventDefault();
    });
    this.page.addEventListener("click", (e) => {
      const link = e.target instanceof Element ? e.target.closest("[data-back], [data-now]") : null;
      if (!link || e.ctrlKey || e.metaKey || e.shiftKey) return;
      e.preventDefault();
      if (link.matches("[data-now]")) this.go(Infinity, true);
      else this.back();
      // The way back to now goes with the bar; who pressed it goes to the axis.
      if (this.bar.hidden || link.matches("[data-now]")) {
        if (e.detail === 0 && link.matches("[data-now]")) this.head.focus({ preventScroll: true });
      }
    });
  }
}
