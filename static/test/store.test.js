import assert from "node:assert/strict";
import { test } from "node:test";
import { Store, tableRows } from "../js/store.js";

const lane = (name) => ({ name, title: name, algorithm: "gcra", summary: "" });
const meter = { words: "", fill: 0, hand: -1 };

/** A whole of two lanes without requests. */
function whole(more = {}) {
  return {
    lanes: [lane("a"), lane("b")],
    gen: 1, now: 0, paused: false, pace: "1", first: 0,
    meters: [meter, meter], scores: [{ c: ["0"] }, { c: ["0"] }],
    ...more,
  };
}

const frame = (more) => ({ ...whole(more), lanes: undefined });

test("requests are unpacked: times, verdicts, waits, keys", () => {
  const s = new Store(whole());
  s.frame(frame({ first: 0, at: [1000, 0, 500], v: "addrn.", w: [700, 300], k: [[1, "ann"]], c: [[2, 5]] }));
  assert.equal(s.tail, 3);
  assert.deepEqual([s.time(0), s.time(1), s.time(2)], [1000, 1000, 1500]);
  assert.equal([0, 1, 2].map((i) => s.letter(i, 0) + s.letter(i, 1)).join(" "), "ad dr n.");
  assert.equal(s.waitOf(0, 1), 700);
  assert.equal(s.waitOf(1, 0), 300);
  assert.deepEqual(s.recent.map((r) => [r.number, r.key, r.cost]), [[0, "default", 1], [1, "ann", 1], [2, "ann", 5]]);
});

test("the ring keeps the newest and finds them by number", () => {
  const s = new Store(whole(), 4);
  for (let i = 0; i < 10; i++) s.frame(frame({ first: i, at: [i * 100], v: "aa" }));
  assert.equal(s.tail - s.head, 4);
  assert.equal(s.slotOf(5), -1);
  assert.equal(s.numberOf(s.slotOf(6)), 6);
  assert.equal(s.time(s.slotOf(9)), 900);
});

test("service times, and the windows that first requests have begun", () => {
  const s = new Store(whole());
  s.frame(frame({ first: 0, at: [100, 100, 100], v: "aaaaaa", s: [[1, 500], [2, 0]] }));
  assert.deepEqual([...s.service.slice(0, 3)], [0, 500, 0]);
  assert.equal(s.longest, 500);
  const seen = (window) => s.frame(frame({ first: 3, meters: [meter, { ...meter, window }] }));
  seen([100, 1100]);
  seen([100, 1100]);
  seen([1300, 2300]);
  assert.deepEqual(s.edges, [[], [100, 1100, 1300, 2300]]);
  // Those of before the page came stand before them.
  s.past({ gen: 1, at: [0], v: [0, 0], e: [null, [-900, 50, 100]] });
  assert.deepEqual(s.edges, [[], [-900, 50, 100, 1100, 1300, 2300]]);
});

test("what came up to an instant is told from what came after it", () => {
  const s = new Store(whole(), 8);
  for (const [first, at] of [[0, [100, 100]], [2, [200, 0]], [4, [500]]]) s.frame(frame({ first, at, v: "aa".repeat(at.length) }));
  // Times 100, 200, 200, 200, 500.
  for (const [at, want] of [[0, 0], [99, 0], [100, 1], [199, 1], [200, 4], [499, 4], [500, 5], [Infinity, 5]]) assert.equal(s.slotAfter(at), want, `at ${at}`);
  // Those that the ring has lost are not found.
  for (let i = 5; i < 12; i++) s.frame(frame({ first: i, at: [i * 100], v: "aa" }));
  assert.equal(s.numberOf(s.slotAfter(0)), 4);
});

test("requests that were left out are counted, and those after them kept", () => {
  const s = new Store(whole());
  s.frame(frame({ first: 0, at: [10, 10], v: "aaaa" }));
  s.frame(frame({ first: 7, at: [80, 10], v: "rrrr" }));
  assert.equal(s.missed, 5);
  assert.equal(s.tail, 4);
  assert.equal(s.letter(s.slotOf(7), 0), "r");
  assert.equal(s.slotOf(4), -1);
});

test("what the page came too late for, or had no room for, is counted", () => {
  const late = new Store(whole({ first: 3, at: [10, 10], v: "aaaa" }));
  assert.equal(late.missed, 3);
  const small = new Store(whole(), 4);
  for (let i = 0; i < 10; i++) small.frame(frame({ first: i, at: [i * 100], v: "aa" }));
  assert.equal(small.missed, 6);
  small.whole(whole({ gen: 2 }));
  assert.equal(small.missed, 0);
});

test("requests that are already known are not taken twice", () => {
  const s = new Store(whole());
  s.frame(frame({ first: 0, at: [10, 10, 10], v: "aaaaaa" }));
  s.frame(frame({ first: 1, at: [20, 10, 10], v: "aaddrr", w: [5, 5] }));
  assert.equal(s.tail, 4);
  assert.equal(s.letter(3, 0), "r");
});

test("a whole of the same generation goes on; another begins anew", () => {
  const s = new Store(whole());
  s.frame(frame({ first: 0, at: [10, 10], v: "aaaa" }));
  assert.equal(s.whole(whole({ first: 1, at: [20, 10], v: "aarr" })), false);
  assert.equal(s.tail, 3);
  assert.equal(s.dirty.lanes, false);
  assert.equal(s.whole(whole({ gen: 2, first: 0, at: [5], v: "nn" })), true);
  assert.equal(s.tail, 1);
  assert.equal(s.dirty.lanes, false);
  const other = whole({ gen: 3, first: 0, meters: [meter], lanes: [lane("c")] });
  assert.equal(s.whole(other), true);
  assert.equal(s.dirty.lanes, true);
  assert.equal(s.lanes.length, 1);
});

test("scores stay when a frame has none", () => {
  const s = new Store(whole());
  s.frame(frame({ scores: undefined }));
  assert.equal(s.scores[0].c[0], "0");
});

test("the table holds no more than its rows", () => {
  const s = new Store(whole());
  const n = tableRows + 5;
  s.frame(frame({ first: 0, at: Array(n).fill(1), v: "a".repeat(2 * n) }));
  assert.equal(s.recent.length, tableRows);
  assert.equal(s.recent.at(-1).number, n - 1);
});

test("levels are visited from the sample before the view on", () => {
  const s = new Store(whole());
  for (const now of [100, 200, 300]) s.frame(frame({ now, meters: [{ ...meter, fill: now }, meter] }));
  const seen = [];
  s.levels(250, Infinity, (at, i) => seen.push([at, s.sample[i * 2]]));
  assert.deepEqual(seen, [[200, 200], [300, 300]]);
});

test("levels of before stand in the place of samples of the same time", () => {
  const s = new Store(whole({ now: 5000 }));
  s.frame(frame({ now: 9000, meters: [{ ...meter, fill: 300 }, { ...meter, fill: 10, under: 70 }] }));
  s.past({ gen: 1, at: [1000, 3000, 2000], v: [1, -1, 2, -1, 3, 4] });
  const got = [];
  s.levels(0, Infinity, (at, i) => got.push([at, s.sample[i * 2], s.sample[i * 2 + 1]]));
  assert.deepEqual(got, [[1000, 1, -1], [4000, 2, -1], [6000, 3, 4], [9000, 300, 70]]);
  s.past({ gen: 2, at: [0], v: [9, 9] });
  s.past({ gen: 1, at: null, v: null });
  assert.equal(s.sampleCount, 4);
});

test("levels hold until a request comes", () => {
  const s = new Store(whole({ now: 1000 }));
  s.frame(frame({ now: 2000, meters: [{ ...meter, fill: 500 }, meter] }));
  s.frame(frame({ now: 6000, first: 0, at: [5000], v: "aa", meters: [{ ...meter, fill: 100 }, meter] }));
  const got = [];
  s.levels(0, Infinity, (at, i) => got.push([at, s.sample[i * 2]]));
  assert.deepEqual(got, [[1000, 0], [2000, 500], [5000, 500], [6000, 100]]);
});

test("requests on which the lanes differ are counted and found", () => {
  const s = new Store(whole(), 4);
  s.frame(frame({ first: 0, at: [1, 1, 1], v: "arrdra", w: [5] }));
  assert.equal(s.differing, 3);
  s.frame(frame({ first: 3, at: [4, 1, 1], v: "aarn.a" }));
  assert.equal(s.differing, 2); // of the four that are held, 2 to 5
  assert.equal(s.nextDiffering(s.tail, -1), 4);
  assert.equal(s.nextDiffering(4, -1), 2);
  assert.equal(s.nextDiffering(2, -1), -1);
  assert.equal(s.nextDiffering(4, 1), -1);
  s.whole(whole({ gen: 2 }));
  assert.equal(s.differing, 0);
});
