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
 * somebody has written or is writing stays as it is, and the focus stays where it
 * was: on the same thing of the same policy or, when that is gone, on the one that
 * has its place.
 * @param {Document} page @param {Document} fresh */
export function refresh(page, fresh) {
  const open = page.querySelector("[data-limits][open]");
  const form = open?.querySelector("form") ?? null;
  const lane = open?.closest("[data-lane]")?.getAttribute("data-lane");
  const focused = page.activeElement;
  const keep = form && lane && (form.contains(focused) || written(form));
  const again = focused ? place(page, focused) : null;
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
  const limits = keep ? page.querySelector(`[data-lane="${CSS.escape(lane)}"] [data-limits]`) : null;
  if (limits && form) {
    limits.querySelector("form")?.replaceWith(form);
    limits.setAttribute("open", "");
  }
  if (!(focused instanceof HTMLElement) || focused === page.activeElement) return;
  if (focused.isConnected) focused.focus({ preventScroll: true });
  else again?.()?.focus({ preventScroll: true });
}

/** Whether something in a form is not as the server gave it. @param {HTMLFormElement} form */
function written(form) {
  return [...form.elements].some((e) => e instanceof HTMLInputElement && e.type !== "hidden" && (e.value !== e.defaultValue || e.checked !== e.defaultChecked));
}

/** How to find the same thing again in a page whose parts are new.
 * @param {Document} page @param {Element} focused
 * @returns {(() => HTMLElement | null) | null} null when it is in no such part */
function place(page, focused) {
  const part = parts.find((id) => page.getElementById(id)?.contains(focused));
  if (!part) return null;
  const row = focused.closest("[data-lane], [data-score]");
  const attribute = row?.hasAttribute("data-lane") ? "data-lane" : "data-score";
  const policy = row?.getAttribute(attribute);
  const at = row ? [...page.querySelectorAll(`[${attribute}]`)].indexOf(row) : -1;
  const same = ["aria-label", "name", "value", "data-inspect", "data-copy"];
  const is = same.map((name) => focused.getAttribute(name));
  return () => {
    const rows = [...page.querySelectorAll(`[${attribute}]`)];
    const inside = row ? rows.find((r) => r.getAttribute(attribute) === policy) ?? rows[Math.min(at, rows.length - 1)] : page.getElementById(part);
    const all = [...(inside?.querySelectorAll(focused.localName) ?? [])].filter((e) => e instanceof HTMLElement && e.checkVisibility());
    const found = all.find((e) => same.every((name, i) => e.getAttribute(name) === is[i])) ?? inside?.querySelector("summary, a, [tabindex='0']");
    return found instanceof HTMLElement ? found : null;
  };
}
