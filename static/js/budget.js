// One budget for all policies that count over time: the switch, the values that a
// new policy starts with, and the sentence that tells what the numbers in a form
// lead to.

import { post } from "./post.js";

const pause = 250;

export class Budget {
  /** @param {Document} page @param {() => void} renew renews the parts of the page that hang on policies
   * @param {(text: string) => void} tell
   * @param {() => number} looking at which instant of the past the page is; -1 for now */
  constructor(page, renew, tell, looking) {
    this.page = page;
    this.looking = looking;
    /** What the page's address would hold without script: see views.BudgetQuery. */
    this.query = "";
    page.addEventListener("submit", (e) => {
      const form = e.target;
      if (!(form instanceof HTMLFormElement) || !form.matches("[data-budget]")) return;
      e.preventDefault();
      void this.#submit(form, /** @type {SubmitEvent} */ (e).submitter, renew, tell);
    });
  }

  /** @param {HTMLFormElement} form @param {HTMLElement | null} submitter
   * @param {() => void} renew @param {(text: string) => void} tell */
  async #submit(form, submitter, renew, tell) {
    const deed = submitter instanceof HTMLButtonElement ? submitter.value : "";
    const was = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (typeof value === "string") was.append(name, value);
    const body = new URLSearchParams(was);
    body.set("do", deed);
    const at = this.looking();
    if (at >= 0) body.set("at", String(at));
    const wrong = await post(form.action, body);
    if (wrong) {
      tell(wrong.message);
      return;
    }
    this.query = deed === "own" ? "budget=own" : deed === "share" ? was.toString() : "";
    renew();
  }

  /** Takes over from a fresh page what the forms start with. Nothing that was
   * written is lost. @param {Document} fresh */
  refreshed(fresh) {
    // Once budgets differ, it is not for this page alone to set one of them.
    if (!fresh.querySelector("[data-budget][data-equal]")) this.query = "";
    for (const from of fresh.querySelectorAll("[data-add] input")) {
      if (!(from instanceof HTMLInputElement)) continue;
      const to = this.page.querySelector(`[data-add] input[name="${CSS.escape(from.name)}"]`);
      if (!(to instanceof HTMLInputElement)) continue;
      const untouched = to.value === to.defaultValue;
      to.defaultValue = from.defaultValue;
      if (untouched) to.value = from.defaultValue;
    }
  }
}

/** Tells in each policy's form what the numbers that stand in it lead to.
 * @param {Document} page */
export function sentences(page) {
  let timer = 0;
  let asked = 0;
  /** @param {Event} e */
  const changed = (e) => {
    const form = e.target instanceof Element ? e.target.closest("form[data-policy]") : null;
    if (!(form instanceof HTMLFormElement) || (e.target instanceof HTMLInputElement && e.target.type === "checkbox")) return;
    clearTimeout(timer);
    timer = window.setTimeout(() => void ask(form), pause);
  };
  /** @param {HTMLFormElement} form */
  const ask = async (form) => {
    const line = form.querySelector("[data-sentence]");
    if (!(line instanceof HTMLElement)) return;
    const turn = ++asked;
    const body = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (typeof value === "string") body.append(name, value);
    const answer = await fetch(line.dataset.sentence ?? "", { method: "POST", body, headers: { Accept: "application/json" } }).catch(() => null);
    if (turn !== asked || !answer || (!answer.ok && answer.status !== 422)) return;
    line.classList.toggle("error", !answer.ok);
    if (answer.ok) {
      line.textContent = await answer.text();
      return;
    }
    const wrong = await answer.json();
    const label = form.querySelector(`[data-field="${CSS.escape(wrong.field ?? "")}"] span`)?.textContent;
    line.textContent = label ? `${label}: ${wrong.detail}` : wrong.detail;
  };
  page.addEventListener("input", changed);
  // A form that is opened for the first time tells of what it starts with.
  page.addEventListener("toggle", (e) => {
    const form = e.target instanceof HTMLDetailsElement && e.target.open ? e.target.querySelector("form[data-add]") : null;
    if (form instanceof HTMLFormElement) void ask(form);
  }, true);
}
