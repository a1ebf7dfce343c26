// When the policies change, the parts of the page that are made of them come
// from the server anew.

const parts = ["lanes", "score", "by-key", "decisions", "budget", "curl"];

/** Gets something until it has it, and uses only what was asked for last: an
 * answer that has been overtaken is asked for again.
 * @template T */
export class Latest {
  /** @param {() => Promise<T>} get fails when it has to be tried again
   * @param {(got: T) => void} use
   * @param {(f: () => void, ms: number) => unknown} timer */
  constructor(get, use, timer = (f, ms) => setTimeout(f, ms)) {
    this.asked = 0;
    this.running = false;
    this.get = get;
    this.use = use;
    this.timer = timer;
  }

  async ask() {
    this.asked++;
    if (this.running) return;
    this.running = true;
    for (let wait = 500; ; ) {
      const asked = this.asked;
      try {
        const got = await this.get();
        if (asked === this.asked) {
          this.running = false;
          this.use(got);
          return;
        }
      } catch {
        await new Promise((done) => this.timer(() => done(undefined), wait));
        wait = Math.min(wait * 2, 10_000);
      }
    }
  }
}

/** The page as the server has it now; null when the room is gone.
 * @param {Document} page @param {string} [query] */
export async function freshPage(page, query = "") {
  const answer = await fetch(`${page.location.pathname}${query && "?"}${query}`, { headers: { Accept: "text/html" } });
  if (answer.status === 404) return null;
  if (!answer.ok) throw new Error(answer.statusText);
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

/** Replaces the parts of the page that hang on the policies. A form in which
 * somebody is writing stays as it is.
 * @param {Document} page @param {Document} fresh */
export function refresh(page, fresh) {
  const writing = page.activeElement?.closest("[data-limits][open]");
  const lane = writing?.closest("[data-lane]")?.getAttribute("data-lane");
  for (const id of parts) {
    const from = fresh.getElementById(id);
    const to = page.getElementById(id);
    if (!from || !to) continue;
    // Who presses a switch or folds something stays there.
    const focused = [...to.querySelectorAll("button, summary, select")].indexOf(/** @type {Element} */ (page.activeElement));
    to.replaceWith(page.adoptNode(from));
    const again = focused < 0 ? undefined : from.querySelectorAll("button, summary, select")[focused];
    if (again instanceof HTMLElement && id !== "lanes") again.focus({ preventScroll: true });
  }
  if (!writing || !lane) return;
  const focused = page.activeElement;
  page.querySelector(`[data-lane="${CSS.escape(lane)}"] [data-limits]`)?.replaceWith(writing);
  if (focused instanceof HTMLElement) focused.focus();
}
