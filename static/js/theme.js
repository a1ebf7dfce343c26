// Runs before the first paint, so that a chosen theme never flashes in late. A
// classic script: modules wait for the page.
(() => {
  // A story is shown in the theme that its address names.
  if ("theme" in document.documentElement.dataset) {
    document.documentElement.classList.add("script");
    return;
  }
  try {
    const theme = localStorage.getItem("burstlab-theme") ?? "";
    if (["light", "dark", "projector"].includes(theme)) document.documentElement.dataset.theme = theme;
  } catch {
    // Storage may be forbidden; the system's theme stays.
  }
  document.documentElement.classList.add("script");
})();
