// The choice of a theme, kept for the next visit, and the page on paper.

const store = "burstlab-theme";

/** Wires the page's choice of a theme. Whoever draws by script hears of a new
 * one by the event "theme" on the root element.
 * @param {Document} page */
export function themes(page) {
  const root = page.documentElement;
  const tell = () => root.dispatchEvent(new CustomEvent("theme"));
  const choice = page.querySelector("[data-theme-choice]");
  if (choice instanceof HTMLSelectElement) {
    const show = () => (choice.value = root.dataset.theme ?? "system");
    show();
    choice.addEventListener("change", () => {
      keep(choice.value);
      use(root, choice.value);
      tell();
    });
    // Another tab of the same person changes along.
    window.addEventListener("storage", (e) => {
      if (e.key !== store) return;
      use(root, e.newValue ?? "system");
      show();
      tell();
    });
  }
  for (const query of ["(prefers-color-scheme: dark)", "(prefers-contrast: more)", "(forced-colors: active)"]) {
    matchMedia(query).addEventListener("change", tell);
  }
  paper(root, tell);
}

/** @param {HTMLElement} root @param {string} theme */
function use(root, theme) {
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
}

/** @param {string} theme */
function keep(theme) {
  try {
    if (theme === "system") localStorage.removeItem(store);
    else localStorage.setItem(store, theme);
  } catch {
    // Without storage the choice lasts until the page is left.
  }
}

/** A canvas keeps the size and the inks of the screen, so the page takes on
 * those of paper before it is printed.
 * @param {HTMLElement} root @param {() => void} tell */
function paper(root, tell) {
  const print = matchMedia("print");
  const change = (/** @type {boolean} */ on) => {
    if (root.classList.contains("paper") === on) return;
    root.classList.toggle("paper", on);
    tell();
  };
  window.addEventListener("beforeprint", () => change(true));
  window.addEventListener("afterprint", () => change(false));
  print.addEventListener("change", () => change(print.matches));
}
