// The forms that change policies. They are posted as without script; a wrong
// field gets its message beside it.

import { post } from "./post.js";

/** @param {Document} page @param {(text: string) => void} tell
 * @param {() => number} looking at which instant of the past the page is; -1 for now */
export function policies(page, tell, looking) {
  page.addEventListener("submit", (e) => {
    const form = e.target;
    if (form instanceof HTMLFormElement && form.matches("[data-policy]")) submit(form, /** @type {SubmitEvent} */ (e), tell, looking());
  });
  // One floating form is enough; it goes away when the work goes on elsewhere.
  page.addEventListener("pointerdown", (e) => {
    for (const open of page.querySelectorAll("[data-limits][open]")) {
      if (e.target instanceof Node && !open.contains(e.target)) open.removeAttribute("open");
    }
  });
  page.addEventListener("keydown", (e) => {
    if (e.key !== "Escape") return;
    for (const open of page.querySelectorAll("[data-limits][open]")) {
      e.preventDefault();
      open.removeAttribute("open");
      const summary = open.querySelector("summary");
      if (open.contains(page.activeElement)) summary?.focus();
    }
  });
}

/** @param {HTMLFormElement} form @param {SubmitEvent} e
 * @param {(text: string) => void} tell @param {number} at */
async function submit(form, e, tell, at) {
  e.preventDefault();
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form, e.submitter)) if (typeof value === "string") body.append(name, value);
  if (at >= 0) body.set("at", String(at));
  clear(form);
  const wrong = await post(form.action, body);
  if (!wrong) {
    form.closest("details")?.removeAttribute("open");
    if (at < 0 && body.get("do") === "set") tell("What was changed begins anew: it has decided nothing yet");
    return;
  }
  const field = wrong.field ? form.querySelector(`[data-field="${CSS.escape(wrong.field)}"]`) : null;
  const message = field?.querySelector("[data-error]");
  if (!(message instanceof HTMLElement)) {
    tell(wrong.message);
    return;
  }
  message.textContent = wrong.message;
  message.hidden = false;
  const input = field?.querySelector("input, select");
  input?.setAttribute("aria-invalid", "true");
  if (input instanceof HTMLElement) input.focus();
}

/** @param {HTMLFormElement} form */
function clear(form) {
  for (const e of form.querySelectorAll("[data-error]")) if (e instanceof HTMLElement) e.hidden = true;
  for (const e of form.querySelectorAll("[aria-invalid]")) e.removeAttribute("aria-invalid");
}
