// The fold that makes any pattern: the notation that its fields make is shown as
// they are written, and can be added to the draft.

import { carried } from "./composer.js";
import { before, fill } from "./format.js";

/** @param {Document} page */
export function patterns(page) {
  const form = page.querySelector("[data-patterns] form");
  if (!(form instanceof HTMLFormElement)) return;
  const line = form.querySelector("[data-pattern-line]");

  /** The chosen pattern in the notation. */
  const chosen = () => {
    const kind = form.querySelector("select");
    return kind ? fill(kind.value.replace(/^send /, "") + (form.dataset.each ?? ""), carried(form)) : "";
  };
  const show = () => {
    if (line) line.textContent = chosen();
  };
  page.querySelector(".composer")?.addEventListener("input", show);
  form.closest("details")?.addEventListener("toggle", show);
  form.querySelector("[data-pattern-add]")?.addEventListener("click", () => {
    const box = page.querySelector("#notation");
    if (!(box instanceof HTMLTextAreaElement)) return;
    box.value = before(box.value) + chosen();
    box.dispatchEvent(new Event("input", { bubbles: true }));
    box.scrollIntoView({ block: "nearest" });
  });
}
