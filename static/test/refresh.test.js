import assert from "node:assert/strict";
import { test } from "node:test";
import { Latest } from "../js/refresh.js";

/** Answers and waits that come when the test says. */
function world() {
  const w = { gets: [], waits: [], used: [] };
  w.latest = new Latest(
    () => new Promise((ok, fail) => w.gets.push({ ok, fail })),
    (got) => w.used.push(got),
    (f, ms) => w.waits.push({ f, ms }),
  );
  return w;
}
const turn = () => new Promise((done) => setImmediate(done));

test("what was asked for is used", async () => {
  const w = world();
  void w.latest.ask();
  w.gets[0].ok("a");
  await turn();
  assert.deepEqual(w.used, ["a"]);
  void w.latest.ask();
  w.gets[1].ok("b");
  await turn();
  assert.deepEqual(w.used, ["a", "b"]);
});

test("an answer that was overtaken is asked for again", async () => {
  const w = world();
  void w.latest.ask();
  void w.latest.ask();
  void w.latest.ask();
  assert.equal(w.gets.length, 1);
  w.gets[0].ok("old");
  await turn();
  assert.deepEqual(w.used, []);
  w.gets[1].ok("new");
  await turn();
  assert.deepEqual(w.used, ["new"]);
  assert.equal(w.gets.length, 2);
});

test("a refusal is tried again, ever later", async () => {
  const w = world();
  void w.latest.ask();
  for (let i = 0; i < 7; i++) {
    w.gets[i].fail(new Error("429"));
    await turn();
    w.waits[i].f();
    await turn();
  }
  w.gets[7].ok("a");
  await turn();
  assert.deepEqual(w.used, ["a"]);
  assert.deepEqual(w.waits.map((x) => x.ms), [500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
});
