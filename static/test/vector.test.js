import assert from "node:assert/strict";
import { test } from "node:test";
import { Vector, VectorPath } from "../js/vector.js";

test("what is drawn is written as SVG, in order", () => {
  const c = new Vector(100, 50);
  c.fillStyle = "#123456";
  c.fillRect(1, 2, 3.456, 4);
  c.beginPath();
  c.moveTo(0, 0);
  c.lineTo(10, 5);
  c.lineWidth = 2;
  c.stroke();
  const path = new VectorPath();
  path.arc(5, 5, 2);
  c.globalAlpha = 0.5;
  c.fill(path);
  const text = c.toString();
  assert.match(text, /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" width="100" height="50"/);
  assert.ok(text.includes('<rect x="1" y="2" width="3.46" height="4" fill="#123456"/><path d="M0 0L10 5" fill="none" stroke="#000" stroke-width="2"/>'));
  assert.ok(text.includes('<path d="M7 5a2 2 0 1 1 -4 0a2 2 0 1 1 4 0Z" fill="#123456" opacity="0.5"/>'));
});

test("groups are closed, and texts cannot break out of them", () => {
  const c = new Vector(100, 50);
  c.save();
  c.translate(10, 0);
  c.beginPath();
  c.rect(0, 0, 5, 5);
  c.clip();
  c.textAlign = "center";
  c.fillText('<b> & "quotes"', 1, 2);
  c.restore();
  c.fillRect(0, 0, 1, 1);
  const text = c.toString();
  assert.equal(text.split("<g").length, text.split("</g>").length);
  assert.ok(text.includes(">&#60;b&#62; &#38; &#34;quotes&#34;</text></g></g><rect"));
  assert.ok(text.includes('text-anchor="middle"'));
});
