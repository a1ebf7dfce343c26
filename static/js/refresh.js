// When the policies change, the parts of the page that are made of them come
// from the server anew.

const parts = ["lanes", "score", "decisions", "curl"];

/** Replaces the parts of the page that hang on the policies. A form in which
 * somebody is writing stays as it is.
 * @param {Document} page */
export async function refresh(page) {
  const answer = await fetch(page.location.pathname, { headers: { Accept: "text/html" } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const writing = page.activeElement?.closest("[data-limits][open]");
  const lane = writing?.closest("[data-lane]")?.getAttribute("data-lane");
  for (const id of parts) {
    const from = fresh.getElementById(id);
    const to = page.getElementById(id);
    if (from && to) to.replaceWith(page.adoptNode(from));
  }
  if (!writing || !lane) return;
  const focused = page.activeElement;
  page.querySelector(`[data-lane="${CSS.escape(lane)}"] [data-limits]`)?.replaceWith(writing);
  if (focused instanceof HTMLElement) focused.focus();
}
