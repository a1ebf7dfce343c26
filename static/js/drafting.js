// The draft in the page: the box of the notation with undo and redo, and the
// strip that draws it.

import { notation } from "./notation.js";
import { count } from "./format.js";
import { press } from "./composer.js";
import { Past } from "./undo.js";

/** Typing that pauses no longer than this is undone at once. */
const together = 800;

/**
 * @param {Document} page
 * @param {HTMLFormElement} form of the notation
 * @param {string} room under whose name the draft is remembered
 * @param {(text: string) => void} say
 * @returns {{toggle: () => void}} opens or closes the drawing
 */
export function drafting(page, form, room, say) {
  const box = /** @type {HTMLTextAreaElement} */ (form.querySelector("textarea"));
  const section = /** @type {HTMLElement} */ (page.querySelector("[data-draft]"));
  const drawButton = /** @type {HTMLButtonElement} */ (form.querySelector("[data-draw]"));
  const undoButton = /** @type {HTMLButtonElement} */ (form.querySelector("[data-undo]"));
  const redoButton = /** @type {HTMLButtonElement} */ (form.querySelector("[data-redo]"));
  const clearButton = /** @type {HTMLButtonElement} */ (form.querySelector("[data-clear]"));
  const words = /** @type {HTMLElement} */ (section.querySelector("[data-draft-count]"));
  const remembered = `burstlab-draft-${room}`;

  if (box.value === "") box.value = recall(remembered);
  const past = new Past(box.value);
  let typedAt = -Infinity;
  let drawing = false; // the strip itself is changing the text

  // Few draw, so what draws is fetched when somebody does.
  /** @type {import("./strip.js").Strip | undefined} */
  let strip;
  /** @type {Promise<void> | undefined} */
  let fetched;
  const fetchStrip = async () => {
    const { Strip } = await import("./strip.js");
    strip = new Strip(section, onStrip);
  };
  const onStrip = {
    change: (/** @type {import("./draft.js").Drawn} */ drawn, /** @type {boolean} */ done) => {
      drawing = true;
      box.value = drawn.text;
      box.dispatchEvent(new Event("input", { bubbles: true }));
      drawing = false;
      if (done) past.note(box.value);
      state();
    },
    text: () => box.value,
    size: () => {
      const input = page.querySelector('input[name="count"]');
      const n = input instanceof HTMLInputElement ? Number(input.value) : NaN;
      return Number.isInteger(n) && n > 0 ? n : 14;
    },
    say,
    span: () => check(),
  };

  const check = notation(
    form,
    () => (section.hidden || !strip ? "" : `?span=${strip.span}&cells=${strip.cells}`),
    (text, said) => {
      if (text !== box.value) return;
      if (said === null) strip?.show({ text, shapes: [] }, []);
      else if (said.ok) strip?.show({ text, shapes: said.shapes ?? [] }, said.cells ?? []);
      else strip?.stop();
      words.textContent = said?.ok ? `${count(said.count)}\u00a0${said.count === 1 ? "request" : "requests"}` : said ? "mistake in the notation" : "empty";
    },
  );

  function state() {
    undoButton.disabled = !past.undoable && box.value === past.text;
    redoButton.disabled = !past.redoable;
    clearButton.disabled = box.value === "";
    // Who has undone everything goes on writing.
    const used = page.activeElement;
    if (used instanceof HTMLButtonElement && used.disabled && form.contains(used)) box.focus();
    keep(remembered, box.value);
  }

  box.addEventListener("input", () => {
    if (drawing) return;
    const now = performance.now();
    past.note(box.value, now - typedAt < together);
    typedAt = now;
    state();
  });

  /** Writes a text as if it had been typed. @param {string} text */
  function write(text) {
    box.value = text;
    drawing = true;
    box.dispatchEvent(new Event("input", { bubbles: true }));
    drawing = false;
    typedAt = -Infinity;
    state();
  }
  const undo = () => write(past.undo());
  const redo = () => write(past.redo());
  undoButton.addEventListener("click", undo);
  redoButton.addEventListener("click", redo);
  clearButton.addEventListener("click", () => {
    past.note("");
    write("");
    box.focus();
  });
  for (const part of [form, section]) {
    part.addEventListener("keydown", (e) => {
      const { key, ctrlKey, metaKey, shiftKey } = /** @type {KeyboardEvent} */ (e);
      if (!ctrlKey && !metaKey) return;
      const letter = key.toLowerCase();
      if (letter === "z" && !shiftKey) undo();
      else if (letter === "y" || letter === "z") redo();
      else return;
      e.preventDefault();
    });
  }

  function toggle() {
    section.hidden = !section.hidden;
    drawButton.setAttribute("aria-pressed", String(!section.hidden));
    if (section.hidden) {
      if (section.contains(page.activeElement)) drawButton.focus();
      return;
    }
    section.scrollIntoView({ block: "nearest" });
    fetched ??= fetchStrip();
    fetched.then(check, () => {
      fetched = undefined;
      if (!section.hidden) toggle();
      say("The drawing could not be fetched. Try again.");
    });
  }
  drawButton.addEventListener("click", toggle);
  section.querySelector("[data-draft-close]")?.addEventListener("click", () => {
    toggle();
    drawButton.focus({ preventScroll: true });
  });
  section.querySelector("[data-draft-send]")?.addEventListener("click", () => press(page.querySelector('[data-send="notation"]')));
  new ResizeObserver(() => strip?.draw()).observe(section);

  state();
  if (box.value !== "") check();
  return { toggle };
}

/** @param {string} name */
function recall(name) {
  try {
    return sessionStorage.getItem(name) ?? "";
  } catch {
    return "";
  }
}

/** @param {string} name @param {string} text */
function keep(name, text) {
  try {
    if (text === "") sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, text);
  } catch {
    // Without storage the draft lasts until the page is left.
  }
}
