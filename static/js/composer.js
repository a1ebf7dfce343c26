// Forms become commands: the same ones that a page without script would post.

import { fill } from "./format.js";
import { post } from "./post.js";
import { Refused } from "./socket.js";

/** @typedef {(text: string) => Promise<void>} Give */

/** Takes over the forms of commands and presets.
 * @param {Document} page
 * @param {Give} give gives a command to the room
 * @param {(text: string) => void} tell shows a message where no field can
 * @param {() => number} looking at which instant of the past the page is; -1 for now */
export function composer(page, give, tell, looking) {
  for (const form of page.querySelectorAll("form[data-commands]")) {
    if (form instanceof HTMLFormElement) form.addEventListener("submit", (e) => submit(form, e, give, tell));
  }
  page.querySelector("form[data-presets]")?.addEventListener("submit", async (e) => {
    const { target, submitter } = /** @type {SubmitEvent} */ (e);
    if (!(target instanceof HTMLFormElement)) return;
    e.preventDefault();
    const body = new URLSearchParams();
    if (submitter instanceof HTMLButtonElement) body.set(submitter.name, submitter.value);
    // The room that one looks back on stays as it is.
    if (looking() >= 0) body.set("at", String(looking()));
    const wrong = await post(target.action, body);
    if (wrong) tell(wrong.message);
    // On a narrow screen the time line is above.
    else page.querySelector("#timeline")?.scrollIntoView({ block: "nearest" });
  });
  const pace = page.querySelector("[data-pace]");
  pace?.addEventListener("change", () => {
    if (pace instanceof HTMLSelectElement) give(`pace ${pace.value}`).catch((e) => tell(e.message));
  });
  // The field's own button answers to Enter, not the form's first.
  for (const input of page.querySelectorAll("[data-enter]")) {
    if (!(input instanceof HTMLInputElement)) continue;
    input.addEventListener("keydown", (e) => {
      if (e.key !== "Enter") return;
      e.preventDefault();
      press(page.querySelector(`[data-send="${input.dataset.enter}"]`));
    });
  }
  const count = page.querySelector('input[name="count"]');
  count?.addEventListener("input", () => {
    const echo = page.querySelector('[data-echo="count"]');
    if (echo && count instanceof HTMLInputElement) echo.textContent = count.value.trim() || "?";
  });
}

/** Presses a button of a form, unless it cannot be pressed now.
 * @param {Element | null} button */
export function press(button) {
  if (button instanceof HTMLButtonElement && !button.disabled) button.form?.requestSubmit(button);
}

/** @param {HTMLFormElement} form @param {SubmitEvent} e @param {Give} give
 * @param {(text: string) => void} tell */
async function submit(form, e, give, tell) {
  e.preventDefault();
  if (!(e.submitter instanceof HTMLButtonElement)) return;
  // A command is a button's, or one that the form lets choose.
  const choice = form.querySelector('select[name="command"]');
  const command = e.submitter.name !== "command" && choice instanceof HTMLSelectElement ? choice.value : e.submitter.value;
  const error = form.querySelector("[data-error]");
  for (const input of form.querySelectorAll("[aria-invalid]")) input.removeAttribute("aria-invalid");
  const wrong = wrongIn(form, command);
  if (wrong && error instanceof HTMLElement) {
    const label = wrong.labels?.[0]?.textContent?.trim() ?? "";
    error.textContent = `${label}: “${wrong.value.trim()}”; expected ${wrong.title}`;
    if (wrong.value.trim() === "") error.textContent = `${label} is empty; expected ${wrong.title}`;
    error.hidden = false;
    wrong.setAttribute("aria-invalid", "true");
    const fold = wrong.closest("details");
    if (fold) fold.open = true;
    wrong.focus();
    return;
  }
  try {
    await give(fill(command + (form.dataset.each ?? ""), carried(form)));
    if (error instanceof HTMLElement) error.hidden = true;
    form.dispatchEvent(new CustomEvent("given"));
  } catch (reason) {
    const message = reason instanceof Error ? reason.message : String(reason);
    if (reason instanceof Refused && form.matches("[data-notation]")) {
      form.dispatchEvent(new CustomEvent("refused", { detail: reason }));
    } else if (error instanceof HTMLElement) {
      error.textContent = message;
      error.hidden = false;
    } else {
      tell(message);
    }
  }
}

/** The fields of a form, and of the one that says what each request carries.
 * @param {HTMLFormElement} form */
export function carried(form) {
  const data = new FormData(form);
  const sending = form.ownerDocument.querySelector("form.send");
  if (!form.dataset.each || !(sending instanceof HTMLFormElement)) return data;
  for (const [name, value] of new FormData(sending)) if (!data.has(name)) data.set(name, value);
  return data;
}

/** The first field of a command's template that does not hold what it should.
 * @param {HTMLFormElement} form @param {string} template
 * @returns {HTMLInputElement | undefined} */
function wrongIn(form, template) {
  for (const input of form.querySelectorAll("input[pattern]")) {
    if (!(input instanceof HTMLInputElement) || !template.includes(`{${input.name}}`)) continue;
    input.value = input.value.trim();
    if (!input.checkValidity()) return input;
  }
  return undefined;
}
