import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Film } from "../js/film.js";

/** A canvas that remembers in which version each of its pixels was drawn. */
class Canvas {
  style = { left: "", width: "", height: "", transform: "" };
  height = 0;
  /** @type {(number | undefined)[]} */
  pixels = [];
  offset = 0;
  parent = /** @type {Box | null} */ (null);

  /** @param {number} n */
  set width(n) {
    this.pixels = new Array(n).fill(undefined);
  }

  getContext() {
    return {
      canvas: this,
      setTransform: (/** @type {number[]} */ ...m) => (this.offset = m[4]),
      clearRect: () => {},
    };
  }

  remove() {
    this.parent?.children.splice(this.parent.children.indexOf(this), 1);
    this.parent = null;
  }
}

class Box {
  style = { transform: "" };
  className = "";
  /** @type {Canvas[]} */
  children = [];

  /** @param {Canvas} e */
  append(e) {
    e.parent = this;
    this.children.push(e);
  }

  replaceChildren() {
    for (const e of [...this.children]) e.remove();
  }
}

beforeEach(() => {
  const createElement = (/** @type {string} */ name) => (name === "canvas" ? new Canvas() : new Box());
  Object.defineProperty(globalThis, "document", { value: { createElement }, configurable: true });
});

/** Draws the parts in a version. @param {import("../js/film.js").Part[]} parts @param {number} version @param {number} ratio */
function ink(parts, version, ratio) {
  for (const { context, from, to } of parts) {
    const canvas = /** @type {Canvas} */ (/** @type {unknown} */ (context.canvas));
    const x = canvas.offset;
    assert.ok(Number.isInteger(x), `a part begins at pixel ${x}`);
    for (let i = 0; i < Math.round((to - from) * ratio); i++) canvas.pixels[x + i] = version;
  }
}

/** A repeatable random number from 0 to below n. @param {number} seed */
function random(seed) {
  let x = seed;
  return (/** @type {number} */ n) => {
    x = (Math.imul(x, 1103515245) + 12345) >>> 0;
    return (x >>> 8) % n;
  };
}

// What shows is up to date at every pixel, wherever the film goes.
for (const ratio of [1, 1.5, 2]) {
  test(`every pixel that shows is up to date at ${ratio} pixels`, () => {
    const next = random(7);
    const box = new Box();
    const film = new Film(/** @type {any} */ (box));
    film.size(100, ratio);
    const reel = /** @type {Box} */ (/** @type {unknown} */ (film.reel));
    /** Since which version each place is as it is: the last that changed it. @type {{from: number, version: number}[]} */
    const changes = [];
    let place = 0;
    for (let version = 0; version < 3000; version++) {
      const way = next(100);
      if (way < 80) place += next(30) / 7;
      else if (way < 95) place -= next(600);
      else if (way < 98) place = next(2_000_000);
      const left = film.snapped(place);
      const width = 300 + next(900);
      const stale = next(3) === 0 ? Infinity : left + next(1400) - 100 + next(10) / 9;
      if (next(200) === 0) film.size(100, ratio);
      if (stale < Infinity) changes.push({ from: stale, version });
      ink(film.show(left, width, stale), version, ratio);
      const shift = Number(/translateX\((.*)px\)/.exec(reel.style.transform)?.[1]);
      let shown = 0;
      for (const canvas of reel.children) {
        const from = (parseFloat(canvas.style.left) + shift + left) * ratio;
        assert.ok(Math.abs(from - Math.round(from)) < 1e-6, "between the screen's pixels");
        canvas.pixels.forEach((drawn, i) => {
          const at = Math.round(from + i) / ratio;
          if (at < left || at >= left + width) return;
          shown++;
          const wanted = changes.findLast((c) => c.from <= at)?.version ?? -1;
          assert.ok(drawn !== undefined && drawn >= wanted, `place ${at} was drawn in version ${drawn}, and changed in ${wanted}`);
        });
      }
      assert.ok(Math.abs(shown - width * ratio) <= 1, `${shown} pixels show of ${width * ratio}`);
      assert.ok(reel.children.length <= Math.ceil(width / film.width) + 1, `${reel.children.length} canvases`);
    }
  });
}

test("only what is out of date is drawn", () => {
  const film = new Film(/** @type {any} */ (new Box()));
  film.size(100, 1);
  assert.equal(film.show(0, 1000, -Infinity).length, 4);
  assert.equal(film.show(0, 1000, Infinity).length, 0);
  assert.equal(film.show(3, 1000, Infinity).length, 0);
  assert.deepEqual(film.show(3, 1000, 900.5).map(({ from, to }) => [from, to]), [[900, 1024]]);
  assert.deepEqual(film.show(100, 1000, Infinity).map(({ from, to }) => [from, to]), [[1024, 1280]]);
  film.clear();
  assert.equal(film.show(100, 1000, Infinity).length, 5);
});
