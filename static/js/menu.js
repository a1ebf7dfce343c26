// Menus that open over the page go away when something was chosen or the work
// goes on elsewhere.

/** @param {Document} page */
export function menus(page) {
  const open = () => [...page.querySelectorAll("details[data-menu][open]")];
  page.addEventListener("pointerdown", (e) => {
    for (const menu of open()) if (e.target instanceof Node && !menu.contains(e.target)) menu.removeAttribute("open");
  });
  page.addEventListener("focusin", (e) => {
    for (const menu of open()) if (e.target instanceof Node && !menu.contains(e.target)) menu.removeAttribute("open");
  });
  page.addEventListener("click", (e) => {
    const menu = e.target instanceof Element && e.target.closest("a, button") ? e.target.closest("details[data-menu]") : null;
    menu?.removeAttribute("open");
  });
  page.addEventListener("keydown", (e) => {
    if (e.key !== "Escape") return;
    for (const menu of open()) {
      e.preventDefault();
      const inside = menu.contains(page.activeElement);
      menu.removeAttribute("open");
      if (inside) menu.querySelector("summary")?.focus();
    }
  });
}
