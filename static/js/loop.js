// The one animation loop. It runs while something moves or a flag is up, and
// never in a hidden tab.

export class Loop {
  /** @param {(ms: number) => boolean} draw draws what has changed, and says
   *   whether something still moves */
  constructor(draw) {
    this.draw = draw;
    this.running = false;
    document.addEventListener("visibilitychange", () => this.wake());
  }

  /** Something has changed. */
  wake() {
    if (this.running || document.hidden) return;
    this.running = true;
    requestAnimationFrame((ms) => this.#turn(ms));
  }

  /** @param {number} ms */
  #turn(ms) {
    this.running = false;
    if (document.hidden) return;
    if (this.draw(ms)) this.wake();
  }
}
