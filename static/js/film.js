// The film on which the time line is drawn: canvases side by side that move as
// one. What has been drawn stays drawn, and moving it costs no drawing.
//
// A place on the film is a distance from time 0 in CSS pixels.

/** How wide a canvas is, about. */
const wide = 256;

/** A part of the film that has to be drawn, with what draws on it. The context's
 * x is 0 at its left edge.
 * @typedef {{context: CanvasRenderingContext2D, from: number, to: number}} Part */

export class Film {
  /** @param {HTMLElement} box shows a part of the film */
  constructor(box) {
    this.box = box;
    this.reel = document.createElement("div");
    this.reel.className = "reel";
    box.append(this.reel);
    this.ratio = 1;
    this.width = wide;
    this.height = 0;
    /** The canvas whose left edge is the reel's. */
    this.base = 0;
    /** By number from time 0. @type {Map<number, CanvasRenderingContext2D>} */
    this.frames = new Map();
  }

  /** Sets the size; everything is to be drawn anew.
   * @param {number} height in CSS pixels @param {number} ratio of the screen's pixels to those */
  size(height, ratio) {
    this.ratio = ratio;
    // A whole number of the screen's pixels, so that no seam shows.
    this.width = Math.round(wide * ratio) / ratio;
    this.height = height;
    this.clear();
  }

  /** Forgets what is drawn. */
  clear() {
    this.frames.clear();
    this.reel.replaceChildren();
  }

  /** A place where the film can stand without being blurred. @param {number} place */
  snapped(place) {
    return Math.round(place * this.ratio) / this.ratio;
  }

  /** Which part of the film there has to be to show some of it.
   * @param {number} left @param {number} width
   * @returns {{from: number, to: number}} */
  around(left, width) {
    return { from: Math.floor(left / this.width) * this.width, to: (Math.floor((left + width) / this.width) + 1) * this.width };
  }

  /** Moves the film.
   * @param {number} left the place at the box's left edge, snapped
   * @param {number} width of what shows
   * @param {number} stale the place from which on what is drawn is out of date
   * @returns {Part[]} what has to be drawn for that */
  show(left, width, stale) {
    const first = Math.floor(left / this.width);
    const last = Math.floor((left + width) / this.width);
    const spare = [...this.frames.keys()].filter((n) => n < first || n > last);
    if (this.frames.size === 0 || Math.abs(first - this.base) > 1000) {
      this.base = first;
      for (const [n, context] of this.frames) this.#put(context, n);
    }
    /** @type {Part[]} */
    const parts = [];
    for (let n = first; n <= last; n++) {
      let context = this.frames.get(n);
      let from = n * this.width;
      const to = from + this.width;
      if (context) {
        if (stale >= to) continue;
        from = Math.max(from, Math.floor(stale * this.ratio) / this.ratio);
      } else {
        const old = spare.pop();
        context = old === undefined ? this.#frame() : this.frames.get(old);
        if (!context) continue;
        if (old !== undefined) this.frames.delete(old);
        this.frames.set(n, context);
        this.#put(context, n);
      }
      const x = Math.round((from - n * this.width) * this.ratio);
      context.setTransform(this.ratio, 0, 0, this.ratio, x, 0);
      context.clearRect(0, 0, to - from, this.height);
      parts.push({ context, from, to });
    }
    for (const n of spare) {
      this.frames.get(n)?.canvas.remove();
      this.frames.delete(n);
    }
    const at = `translateX(${this.base * this.width - left}px)`;
    if (this.reel.style.transform !== at) this.reel.style.transform = at;
    return parts;
  }

  /** @param {CanvasRenderingContext2D} context @param {number} n */
  #put(context, n) {
    context.canvas.style.left = `${(n - this.base) * this.width}px`;
  }

  /** @returns {CanvasRenderingContext2D | undefined} */
  #frame() {
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(this.width * this.ratio);
    canvas.height = Math.round(this.height * this.ratio);
    canvas.style.width = `${this.width}px`;
    canvas.style.height = `${this.height}px`;
    this.reel.append(canvas);
    return canvas.getContext("2d") ?? undefined;
  }
}
