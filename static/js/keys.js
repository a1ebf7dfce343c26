// What the keyboard does where no field and no control has a use for a key.

/** @typedef {"one" | "earlier" | "later" | "step" | "follow" | "differ" | "differed" | "back" | "help" | "brush" | "in" | "out" | "earlierPart" | "laterPart" | "all" | "draw"} Deed */

/** @type {Map<string, Deed>} */
const plain = new Map([[" ", "one"], ["ArrowLeft", "earlier"], ["ArrowRight", "later"], ["Escape", "follow"], ["d", "differ"], ["b", "brush"], ["+", "in"], ["=", "in"], ["-", "out"], [",", "earlierPart"], [".", "laterPart"], ["0", "all"], ["w", "draw"]]);
/** @type {Map<string, Deed>} */
const shifted = new Map([["ArrowRight", "step"], ["ArrowLeft", "back"], ["D", "differed"], ["?", "help"], ["B", "brush"], ["+", "in"]]);

/** What a press of a key asks for.
 * @param {Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "metaKey" | "altKey" | "repeat">} e
 * @returns {Deed | undefined} */
export function deed(e) {
  if (e.ctrlKey || e.metaKey || e.altKey) return undefined;
  // Where "?" is depends on the keyboard.
  const asked = e.key === "?" ? "help" : (e.shiftKey ? shifted : plain).get(e.key);
  // A key that is held down goes from request to request, but gives no command
  // again and again.
  return e.repeat && (asked === "one" || asked === "step") ? undefined : asked;
}

// Fields have all keys for themselves, and what scrolls has the arrows while the
// focus is on it.
const fields = "input, textarea, select";
const scrolls = "[role=group]";
const pressed = "a, button, summary";

/** @param {Document} page @param {Record<Deed, () => void>} does */
export function keys(page, does) {
  // Who uses the mouse and the keys in turn means the page with a key, and not
  // the button that was clicked last. Who came to it by keyboard stays there.
  page.addEventListener("click", (e) => {
    const clicked = e.target instanceof Element ? e.target.closest(pressed) : null;
    if (e.detail > 0 && clicked instanceof HTMLElement && clicked === page.activeElement) clicked.blur();
  });
  page.addEventListener("keydown", (e) => {
    const asked = deed(e);
    // What lies over the page has the keys for itself.
    if (!asked || e.defaultPrevented || page.querySelector("dialog[open]")) return;
    const at = e.target instanceof Element ? e.target : page.body;
    if (at.closest(fields) || (at.matches(scrolls) && e.key !== "Escape") || (e.key === " " && at.closest(pressed))) return;
    e.preventDefault();
    does[asked]();
  });
}
