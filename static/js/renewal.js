// Something on the page that is fetched anew while it is behind: seldom, one at a
// time, and only while somebody can see it.

export class Renewal {
  /** @param {() => Promise<void>} get fetches and shows it; fails when it has to be tried again
   * @param {() => boolean} wanted whether it is behind and can be seen
   * @param {number} pause at least so long between two fetches, in ms
   * @param {(f: () => void, ms: number) => unknown} timer
   * @param {() => number} clock */
  constructor(get, wanted, pause, timer = (f, ms) => setTimeout(f, ms), clock = () => performance.now()) {
    this.get = get;
    this.wanted = wanted;
    this.pause = pause;
    this.timer = timer;
    this.clock = clock;
    /** A fetch is under way. */
    this.busy = false;
    /** Which of the fetches that were put off still counts; 0 for none. */
    this.turn = 0;
    this.turns = 0;
    this.due = -Infinity;
  }

  /** Something has changed: fetches as soon as it may, if it is wanted. */
  poke() {
    if (this.busy || this.turn > 0 || !this.wanted()) return;
    const turn = ++this.turns;
    this.turn = turn;
    this.timer(() => turn === this.turn && void this.#fetch(), Math.max(0, this.due - this.clock()));
  }

  /** The next fetch need not wait: somebody asked for something else. */
  now() {
    this.turn = 0;
    this.due = -Infinity;
    this.poke();
  }

  async #fetch() {
    this.turn = 0;
    if (!this.wanted()) return;
    this.busy = true;
    this.due = this.clock() + this.pause;
    try {
      await this.get();
    } catch {
      this.due = this.clock() + 4 * this.pause;
    }
    this.busy = false;
    this.poke();
  }
}
