// Copy buttons.

/** @param {Document} page @param {(text: string) => void} tell */
export function copy(page, tell) {
  page.addEventListener("click", async (e) => {
    const made = e.target instanceof Element ? e.target.closest("[data-copy-link]") : null;
    if (made instanceof HTMLElement && !e.ctrlKey && !e.metaKey && !e.shiftKey) {
      e.preventDefault();
      await link(made, tell);
      return;
    }
    const button = e.target instanceof Element ? e.target.closest("[data-copy]") : null;
    if (!(button instanceof HTMLElement)) return;
    if (await put(button.dataset.copy ?? "")) {
      tell(button.dataset.copied ?? "Copied");
      return;
    }
    const shown = button.parentElement?.querySelector("code, pre");
    if (shown) getSelection()?.selectAllChildren(shown);
    tell("This browser lets no page copy by itself. The text is selected: copy it by hand.");
  });
}

/** Asks for a link that reproduces the room as it is shown, and copies it.
 * @param {HTMLElement} from @param {(text: string) => void} tell */
async function link(from, tell) {
  const shown = new URL(location.href).search;
  const answer = await fetch((from.dataset.copyLink ?? "") + shown, { headers: { Accept: "application/json" } }).catch(() => null);
  const said = await answer?.json().catch(() => null);
  if (!answer?.ok || !said) {
    tell(said?.detail ?? "The server cannot be reached just now. Try again in a moment.");
    return;
  }
  if (await put(said.link)) tell("A link that reproduces the room is copied");
  // Where pages may not copy, the link is on a page of its own.
  else location.assign((from.dataset.copyLink ?? "") + shown);
}

/** @param {string} text */
async function put(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Only secure pages and localhost have a clipboard; a selection works
    // everywhere.
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
