// The time line as a file: PNG, or SVG drawn by the same code.

import { Vector, VectorPath } from "./vector.js";

/** @typedef {import("./timeline.js").Timeline} Timeline */

const margin = 16;
const labels = 216; // where the lanes' names stand
const head = 44;
const sharp = 2; // pixels of a PNG for one of the page

/** What the picture says beside the time line.
 * @typedef {{room: string, clock: string, lanes: {title: string, summary: string, level: string}[]}} Words */

/** @param {Timeline} timeline @param {Words} words
 * @returns {string} an SVG document */
export function svg(timeline, words) {
  const size = sizeOf(timeline);
  const { ink } = timeline;
  const notch = (/** @type {string} */ id, /** @type {string} */ color) =>
    `<pattern id="${id}" width="6" height="6" patternUnits="userSpaceOnUse"><rect width="6" height="5" fill="${color}"/></pattern>`;
  const c = new Vector(size.width, size.height, notch("n3", ink.refused) + notch("n4", ink.never));
  compose(/** @type {any} */ (c), timeline, words, size, {
    path: () => /** @type {any} */ (new VectorPath()),
    notched: [null, null, null, /** @type {any} */ ("url(#n3)"), /** @type {any} */ ("url(#n4)")],
  });
  return c.toString();
}

/** @param {Timeline} timeline @param {Words} words
 * @returns {Promise<Blob | null>} */
export function png(timeline, words) {
  const size = sizeOf(timeline);
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(size.width * sharp);
  canvas.height = Math.round(size.height * sharp);
  const c = canvas.getContext("2d");
  if (!c) return Promise.resolve(null);
  c.scale(sharp, sharp);
  compose(c, timeline, words, size, {});
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

/** @param {Timeline} timeline */
function sizeOf(timeline) {
  const { view, axis } = timeline;
  return { width: labels + view.width + 2 * margin, height: head + axis.y + axis.height + margin };
}

/** @param {CanvasRenderingContext2D} c @param {Timeline} timeline @param {Words} words
 * @param {{width: number, height: number}} size
 * @param {{path?: () => Path2D, notched?: (CanvasPattern | null)[]}} tools */
function compose(c, timeline, words, size, tools) {
  const { ink, lanes, sent, axis, view } = timeline;
  const family = "system-ui, 'Segoe UI', 'Liberation Sans', Arial, sans-serif";
  c.fillStyle = ink.ground;
  c.fillRect(0, 0, size.width, size.height);
  const say = (/** @type {string} */ text, /** @type {number} */ x, /** @type {number} */ y, font = "12px", color = ink.ink) => {
    c.font = `${font} ${family}`;
    c.textAlign = "left";
    c.textBaseline = "alphabetic";
    c.fillStyle = color;
    c.fillText(text, x, y);
  };
  const room = labels - 8;
  const fitted = (/** @type {string} */ text, /** @type {string} */ font) => {
    c.font = `${font} ${family}`;
    if (c.measureText(text).width <= room) return text;
    let n = text.length - 1;
    while (n > 1 && c.measureText(`${text.slice(0, n)}…`).width > room) n--;
    return `${text.slice(0, n).trimEnd()}…`;
  };
  say(`Burstlab, room ${words.room}`, margin, 28, "600 15px");
  c.font = `13px ${family}`;
  c.textAlign = "right";
  c.fillStyle = ink.muted;
  c.fillText(`lab time ${words.clock}`, size.width - margin, 28);
  say("Sent", margin, head + sent.y + sent.height / 2 + 4, "600 13px");
  lanes.forEach((lane, i) => {
    const w = words.lanes[i];
    if (!w) return;
    const middle = head + lane.y + lane.height / 2;
    say(fitted(w.title, "600 13px"), margin, middle - 6, "600 13px");
    say(fitted(w.summary, "11px"), margin, middle + 10, "11px", ink.muted);
    say(w.level, margin, middle + 25, "11px", ink.muted);
    c.fillStyle = ink.line;
    c.fillRect(margin, head + lane.y + lane.height - 1, size.width - 2 * margin, 1);
  });
  // The marks, as the legend has them.
  const row = head + axis.y + axis.height / 2 + 4;
  let x = margin;
  for (const [sign, word, color] of [["●", "passed", ink.passed], ["○", "delayed", ink.delayed], ["×", "refused", ink.refused], ["▨", "never", ink.never]]) {
    say(sign, x, row, "11px", color);
    say(word, x + 12, row, "10px", ink.muted);
    x += 53;
  }
  c.save();
  c.translate(labels + margin, head);
  timeline.drawOn(c, { ...tools, font: `12px ${family}` });
  c.restore();
  c.fillStyle = ink.line;
  c.fillRect(labels + margin, head + sent.y, 1, axis.y - sent.y);
  c.fillRect(labels + margin + view.width, head + sent.y, 1, axis.y - sent.y);
}
