// A drawing context that writes SVG: as much of the canvas's as the time line
// uses, so that the picture on the page and the one in a file are drawn by the
// same code.

const escape = (/** @type {string} */ s) => s.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
const r = (/** @type {number} */ n) => String(Math.round(n * 100) / 100);

/** A path that remembers what it is made of. */
export class VectorPath {
  d = "";
  /** @param {number} x @param {number} y */
  moveTo(x, y) {
    this.d += `M${r(x)} ${r(y)}`;
  }
  /** @param {number} x @param {number} y */
  lineTo(x, y) {
    this.d += `L${r(x)} ${r(y)}`;
  }
  closePath() {
    this.d += "Z";
  }
  /** @param {number} x @param {number} y @param {number} w @param {number} h */
  rect(x, y, w, h) {
    this.d += `M${r(x)} ${r(y)}h${r(w)}v${r(h)}h${r(-w)}Z`;
  }
  /** Whole circles only. @param {number} x @param {number} y @param {number} radius */
  arc(x, y, radius) {
    this.d += `M${r(x + radius)} ${r(y)}a${r(radius)} ${r(radius)} 0 1 1 ${r(-2 * radius)} 0a${r(radius)} ${r(radius)} 0 1 1 ${r(2 * radius)} 0Z`;
  }
}

export class Vector extends VectorPath {
  fillStyle = "#000";
  strokeStyle = "#000";
  globalAlpha = 1;
  lineWidth = 1;
  font = "12px sans-serif";
  textAlign = "left";
  textBaseline = "alphabetic";
  /** @type {string[]} */
  parts = [];
  clips = 0;
  open = 0;
  /** @type {number[]} */
  saved = [];

  /** @param {number} width @param {number} height @param {string} [defs] */
  constructor(width, height, defs = "") {
    super();
    this.width = width;
    this.height = height;
    this.defs = defs;
  }
  beginPath() {
    this.d = "";
  }
  save() {
    this.saved.push(this.open);
  }
  restore() {
    for (const before = this.saved.pop() ?? 0; this.open > before; this.open--) this.parts.push("</g>");
  }
  /** @param {number} x @param {number} y */
  translate(x, y) {
    this.parts.push(`<g transform="translate(${r(x)} ${r(y)})">`);
    this.open++;
  }
  clip() {
    const id = `c${++this.clips}`;
    this.parts.push(`<clipPath id="${id}"><path d="${this.d}"/></clipPath><g clip-path="url(#${id})">`);
    this.open++;
  }
  /** @param {VectorPath} [path] */
  fill(path = this) {
    if (path.d) this.parts.push(`<path d="${path.d}" fill="${this.fillStyle}"${this.#alpha}/>`);
  }
  /** @param {VectorPath} [path] */
  stroke(path = this) {
    if (path.d) this.parts.push(`<path d="${path.d}" fill="none" stroke="${this.strokeStyle}" stroke-width="${r(this.lineWidth)}"${this.#alpha}/>`);
  }
  /** @param {number} x @param {number} y @param {number} w @param {number} h */
  fillRect(x, y, w, h) {
    this.parts.push(`<rect x="${r(x)}" y="${r(y)}" width="${r(Math.max(0, w))}" height="${r(Math.max(0, h))}" fill="${this.fillStyle}"${this.#alpha}/>`);
  }
  /** @param {string} text @param {number} x @param {number} y */
  fillText(text, x, y) {
    const anchor = { center: "middle", right: "end" }[this.textAlign] ?? "start";
    const base = this.textBaseline === "middle" ? ' dominant-baseline="central"' : "";
    this.parts.push(`<text x="${r(x)}" y="${r(y)}" text-anchor="${anchor}"${base} fill="${this.fillStyle}" style="font:${escape(this.font)}"${this.#alpha}>${escape(text)}</text>`);
  }
  /** About as wide as the text will be. @param {string} text */
  measureText(text) {
    return { width: text.length * parseFloat(/[\d.]+px/.exec(this.font)?.[0] ?? "12") * 0.58 };
  }
  get #alpha() {
    return this.globalAlpha === 1 ? "" : ` opacity="${r(this.globalAlpha)}"`;
  }

  toString() {
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${r(this.width)}" height="${r(this.height)}" viewBox="0 0 ${r(this.width)} ${r(this.height)}"><defs>${this.defs}</defs>${this.parts.join("")}</svg>`;
  }
}
