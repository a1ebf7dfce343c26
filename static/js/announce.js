// The polite live region: what changed, told seldom.

const quiet = 1500;
const least = 5000;

export class Announcer {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    this.spoken = -Infinity;
    /** @type {number | undefined} */
    this.timer = undefined;
    /** @type {string[] | undefined} */
    this.before = undefined;
  }

  /** Says something that somebody asked for, at once.
   * @param {string} text */
  say(text) {
    this.element.textContent = text;
    this.spoken = performance.now();
  }

  /** Notes the scores. What they add up to is told once they have been quiet,
   * or after some seconds.
   * @param {Lane[]} lanes
   * @param {Score[]} scores */
  scores(lanes, scores) {
    const now = scores.map((s) => s.c.slice(0, 4).join("/"));
    this.before ??= now;
    if (now.join() === this.before.join()) return;
    this.latest = { lanes, scores, now };
    const wait = Math.max(quiet, this.spoken + least - performance.now());
    this.timer ??= window.setTimeout(() => this.#tell(), wait);
  }

  #tell() {
    this.timer = undefined;
    if (!this.latest) return;
    const { lanes, scores, now } = this.latest;
    this.before = now;
    const parts = scores.map((s, i) => `${lanes[i]?.title ?? ""}: ${s.c[1]} served, ${s.c[2]} refused`);
    this.say(`${scores[0]?.c[0] ?? 0} sent. ${parts.join("; ")}.`);
  }
}
