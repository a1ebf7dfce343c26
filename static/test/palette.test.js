import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

const sheet = await readFile(new URL("../css/lab.css", import.meta.url), "utf8");

/** The declarations of the first rule with this selector, below a place.
 * @param {string} selector @param {number} [from] */
function rule(selector, from = 0) {
  const at = sheet.indexOf(`${selector} {`, from);
  assert.ok(at >= 0, `the sheet has no rule ${selector}`);
  const text = sheet.slice(at, sheet.indexOf("}", at));
  return new Map([...text.matchAll(/--([\w-]+):\s*([^;]+);/g)].map((m) => [m[1], m[2]]));
}

const base = rule(":root");
const more = new Map([...base, ...rule(":root", sheet.indexOf("@media (prefers-contrast: more)"))]);
const hall = new Map([...base, ...rule(':root[data-theme="projector"]')]);

/** A token's colour as three numbers of 0 to 1.
 * @param {Map<string, string>} tokens @param {string} name @param {0 | 1} dark */
function colour(tokens, name, dark) {
  const value = tokens.get(name) ?? "";
  const hex = value.match(/#[0-9a-f]{6}/g);
  assert.ok(hex, `--${name} is ${value}; expected colours like #16202c`);
  const one = hex[Math.min(dark, hex.length - 1)];
  return [1, 3, 5].map((i) => parseInt(one.slice(i, i + 2), 16) / 255);
}

const linear = (/** @type {number} */ v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);

/** Relative luminance and contrast as WCAG 2.2 defines them. @param {number[]} c */
const luminance = (c) => [0.2126, 0.7152, 0.0722].reduce((sum, w, i) => sum + w * linear(c[i]), 0);

/** @param {number[]} a @param {number[]} b */
function contrast(a, b) {
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

// Machado, Oliveira and Fernandes 2009, at full severity, on linear light.
const eyes = {
  "full colour": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

/** CIE L*a*b* at D65 of linear light. @param {number[]} c */
function lab(c) {
  const [r, g, b] = c.map((v) => Math.min(1, Math.max(0, v)));
  const f = (/** @type {number} */ t) => (t > (6 / 29) ** 3 ? Math.cbrt(t) : t / (3 * (6 / 29) ** 2) + 4 / 29);
  const x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const y = f(0.2126729 * r + 0.7151522 * g + 0.072175 * b);
  const z = f((0.0193339 * r + 0.119192 * g + 0.9503041 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** @param {number[]} a @param {number[]} b @param {number[][]} eye */
function apart(a, b, eye) {
  const seen = (/** @type {number[]} */ c) => lab(eye.map((row) => row.reduce((sum, w, i) => sum + w * linear(c[i]), 0)));
  const [p, q] = [seen(a), seen(b)];
  return Math.hypot(...p.map((v, i) => v - q[i]));
}

/** @type {[name: string, tokens: Map<string, string>, dark: 0 | 1, least: number][]} */
const themes = [
  ["light", base, 0, 4.5],
  ["dark", base, 1, 4.5],
  ["light, more contrast", more, 0, 6],
  ["dark, more contrast", more, 1, 6],
  ["projector", hall, 0, 5.5],
];

for (const [name, tokens, dark, least] of themes) {
  const of = (/** @type {string} */ token) => colour(tokens, token, dark);

  test(`${name}: every text can be read on every ground`, () => {
    for (const ground of ["ground", "panel", "field", "hover"]) {
      for (const ink of ["ink", "muted", "passed", "delayed", "refused", "never", "accent"]) {
        // Only ink and the accent stand on what the pointer is over.
        if (ground === "hover" && !["ink", "muted", "accent"].includes(ink)) continue;
        const c = contrast(of(ink), of(ground));
        assert.ok(c >= least, `--${ink} on --${ground}: ${c.toFixed(2)}; expected ${least} or more`);
      }
    }
    assert.ok(contrast(of("on-accent"), of("accent")) >= least, "--on-accent on --accent");
    // What floats is the other way round.
    assert.ok(contrast(of("ground"), of("ink")) >= 7, "--ground on --ink");
  });

  test(`${name}: verdicts are apart for every eye`, () => {
    const verdicts = ["passed", "delayed", "refused"];
    for (const [who, eye] of Object.entries(eyes)) {
      for (const a of verdicts) {
        for (const b of verdicts) {
          if (a >= b) continue;
          const d = apart(of(a), of(b), eye);
          assert.ok(d >= 37, `--${a} and --${b} with ${who}: ${d.toFixed(1)}; expected 37 or more`);
        }
      }
    }
  });
}

test("no colour, type size or time is written outside the tokens", () => {
  const start = sheet.indexOf("*, *::before, *::after { box-sizing");
  const rest = sheet.slice(start);
  assert.ok(start > 0);
  assert.deepEqual(rest.match(/#[0-9a-f]{3,8}\b(?=[;\s,)])|rgba?\(|hsla?\(/gi) ?? [], []);
  assert.deepEqual(rest.match(/font(-size)?: [^;]*\d+px[^;]*;/g) ?? [], []);
  assert.deepEqual(rest.match(/\b\d+ms\b/g) ?? [], []);
});
