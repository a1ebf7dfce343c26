import assert from "node:assert/strict";
import { test } from "node:test";

import { Renewal } from "../js/renewal.js";

/** A renewal with a clock of its own, on which fetches take 10 ms.
 * @param {number} [fails] how many fetches fail first */
function bench(fails = 0) {
  /** @type {{at: number, f: () => void}[]} */
  const due = [];
  const b = {
    now: 0,
    behind: false,
    /** @type {number[]} when each fetch began */
    fetched: [],
    /** @param {number} until */
    async run(until) {
      for (;;) {
        due.sort((x, y) => x.at - y.at);
        const next = due[0];
        if (!next || next.at > until) break;
        due.shift();
        b.now = next.at;
        next.f();
        for (let i = 0; i < 10; i++) await undefined; // what waits for promises goes on
      }
      b.now = until;
    },
    /** @type {Renewal} */
    renewal: undefined,
  };
  const after = (/** @type {() => void} */ f, /** @type {number} */ ms) => due.push({ at: b.now + ms, f });
  b.renewal = new Renewal(
    () => {
      b.fetched.push(b.now);
      return new Promise((done, fail) => after(() => (fails-- > 0 ? fail(new Error("lost")) : done(undefined)), 10));
    },
    () => b.behind,
    500,
    after,
    () => b.now,
  );
  return b;
}

test("what nobody wants is not fetched", async () => {
  const b = bench();
  b.renewal.poke();
  b.renewal.now();
  await b.run(5000);
  assert.deepEqual(b.fetched, []);
});

test("many changes make at most two fetches a second, one at a time, and the last is not lost", async () => {
  const b = bench();
  b.behind = true;
  for (let ms = 0; ms <= 2000; ms += 50) {
    await b.run(ms);
    b.renewal.poke();
  }
  assert.deepEqual(b.fetched, [0, 500, 1000, 1500, 2000]);
  b.behind = false;
  b.renewal.poke();
  await b.run(9000);
  assert.deepEqual(b.fetched.length, 5);
  b.behind = true;
  b.renewal.poke();
  await b.run(9000);
  assert.deepEqual(b.fetched[5], 9000, "after a rest it need not wait");
});

test("what is no longer wanted when its turn comes is left alone", async () => {
  const b = bench();
  b.behind = true;
  b.renewal.poke();
  await b.run(100);
  b.renewal.poke(); // due at 500
  b.behind = false;
  await b.run(600);
  assert.deepEqual(b.fetched, [0]);
  b.behind = true;
  b.renewal.poke();
  await b.run(700);
  assert.deepEqual(b.fetched, [0, 600]);
});

test("somebody who asks for something else does not wait; a failure does", async () => {
  const b = bench(1);
  b.behind = true;
  b.renewal.poke();
  await b.run(1500);
  assert.deepEqual(b.fetched, [0]);
  await b.run(2020);
  assert.deepEqual(b.fetched, [0, 2010]);
  b.behind = false;
  await b.run(2600);
  b.behind = true;
  b.renewal.poke();
  await b.run(2620);
  b.renewal.now(); // one is put off until 3100
  await b.run(2625);
  b.renewal.now(); // and one is under way, after which this one comes
  await b.run(2640);
  assert.deepEqual(b.fetched.slice(2), [2600, 2620, 2630]);
});
