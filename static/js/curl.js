// The line for a terminal: one policy's at a time.

/** @param {Document} page */
export function curl(page) {
  let chosen = "";

  /** Shows the line of a policy, and goes on doing so when the lines are
   * replaced. A policy that is not there changes nothing.
   * @param {string} policy */
  function show(policy) {
    const lines = [...page.querySelectorAll("[data-curl]")];
    if (!lines.some((line) => line.getAttribute("data-curl") === policy)) return;
    chosen = policy;
    for (const line of lines) line.toggleAttribute("data-shown", line.getAttribute("data-curl") === policy);
    const choice = page.querySelector("[data-curl-choice]");
    if (choice instanceof HTMLSelectElement) choice.value = policy;
  }

  page.addEventListener("change", (e) => {
    if (e.target instanceof HTMLSelectElement && e.target.matches("[data-curl-choice]")) show(e.target.value);
  });
  return { again: () => show(chosen) };
}
