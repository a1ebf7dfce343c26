// The box for traffic: what is written there is checked by the server as it is
// written, and a mistake is underlined in its place.

import { indexOfByte } from "./format.js";

const pause = 200;
const prefix = "send ".length;

/** @typedef {{ok: true, count: number, summary: string, shapes?: import("./draft.js").Shape[], cells?: number[]} | {ok: false, offset: number, line: number, column: number, message: string}} Check */

/** @param {HTMLFormElement} form
 * @param {() => string} query what the check is to count, as a query
 * @param {(text: string, said: Check | null) => void} heard told what the server
 *   says of a text; null of an empty one
 * @returns {() => void} checks again at once */
export function notation(form, query, heard) {
  const box = /** @type {HTMLTextAreaElement} */ (form.querySelector("textarea"));
  const echo = /** @type {HTMLElement} */ (form.querySelector("[data-echo-text]"));
  const note = /** @type {HTMLElement} */ (form.querySelector("[data-note]"));
  const rest = "Put “;” between patterns; key=, cost= and service= behind one.";
  let timer = 0;
  let asked = 0;

  /** @param {string} text @param {number} [offset] in bytes */
  const mark = (text, offset) => {
    if (offset === undefined) {
      echo.replaceChildren();
      box.removeAttribute("aria-invalid");
      return;
    }
    const at = Math.min(indexOfByte(text, offset), text.length);
    const wrong = document.createElement("mark");
    // At the end of the text there is nothing to underline but what is missing.
    const length = /^[^\s;]*/.exec(text.slice(at))?.[0].length ?? 0;
    wrong.textContent = text.slice(at, at + Math.max(1, length)) || "\u00a0";
    echo.replaceChildren(text.slice(0, at), wrong);
    echo.scrollTop = box.scrollTop;
    box.setAttribute("aria-invalid", "true");
  };

  /** @param {string} text @param {boolean} wrong */
  const say = (text, wrong) => {
    note.textContent = text;
    note.classList.toggle("error", wrong);
  };

  const check = async () => {
    const text = box.value;
    const turn = ++asked;
    if (text.trim() === "") {
      mark(text);
      say(rest, false);
      heard(text, null);
      return;
    }
    const answer = await fetch((form.dataset.notation ?? "") + query(), { method: "POST", body: text, headers: { "Content-Type": "text/plain" } }).catch(() => null);
    if (turn !== asked || !answer?.ok) return;
    /** @type {Check} */
    const said = await answer.json();
    if (turn !== asked) return;
    heard(text, said);
    if (said.ok) {
      mark(text);
      say(said.summary, false);
    } else {
      mark(text, said.offset);
      say(said.line > 1 ? `Line ${said.line}, column ${said.column}: ${said.message}` : `Column ${said.column}: ${said.message}`, true);
    }
  };

  box.addEventListener("input", () => {
    clearTimeout(timer);
    echo.replaceChildren();
    timer = window.setTimeout(check, pause);
  });
  box.addEventListener("scroll", () => (echo.scrollTop = box.scrollTop));
  box.addEventListener("keydown", (e) => {
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) form.requestSubmit(form.querySelector("button"));
  });
  form.addEventListener("refused", (e) => {
    const reason = /** @type {CustomEvent<import("./socket.js").Refused>} */ (e).detail;
    mark(box.value, reason.offset === undefined ? undefined : reason.offset - prefix);
    say(reason.message, true);
  });
  return () => void check();
}
