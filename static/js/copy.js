// Copy buttons.

/** @param {Document} page @param {(text: string) => void} tell */
export function copy(page, tell) {
  page.addEventListener("click", async (e) => {
    const button = e.target instanceof Element ? e.target.closest("[data-copy]") : null;
    if (!(button instanceof HTMLElement)) return;
    const text = button.dataset.copy ?? "";
    tell((await put(text)) ? (button.dataset.copied ?? "Copied") : `Copy it by hand: ${text}`);
  });
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
