import assert from "node:assert/strict";
import { test } from "node:test";
import { Columns, crowded, edges, following, full, Hand, heldSpan, lowerBound, nextSpan, Placer, roundUp, settled, spanText, stack, tick, tickLabel, timeAt, wholeSpan, xOf } from "../js/layout.js";

const view = { end: 10e6, span: 10e6, width: 500 };

test("a time and its place are each other's inverse", () => {
  assert.equal(xOf(view, 10e6), 500);
  assert.equal(xOf(view, 0), 0);
  assert.equal(xOf(view, 12e6), 600);
  for (const x of [0, 1, 250.5, 500]) assert.equal(xOf(view, timeAt(view, x)), x);
});

test("a view that follows now starts at 0, and moves when the picture is full", () => {
  const start = following(0, 10e6) - 10e6;
  assert.ok(start < 0 && start > -0.5e6);
  assert.equal(following(8e6, 10e6) - 10e6, start);
  assert.ok(Math.abs(following(20e6, 10e6) - 20.8e6) < 1);
});

test("lowerBound finds the first that is not below", () => {
  const times = [1, 3, 3, 7];
  const at = (i) => times[i];
  assert.equal(lowerBound(at, 0, 4, 0), 0);
  assert.equal(lowerBound(at, 0, 4, 3), 1);
  assert.equal(lowerBound(at, 0, 4, 4), 3);
  assert.equal(lowerBound(at, 0, 4, 8), 4);
  assert.equal(lowerBound(at, 2, 4, 1), 2);
});

test("a burst at one instant becomes a block, from the bottom up", () => {
  const p = new Placer(10, 3, 6);
  const places = Array.from({ length: 5 }, () => {
    p.place(100);
    return [p.row, p.moved];
  });
  assert.deepEqual(places, [[0, 0], [1, 0], [2, 0], [0, 10], [1, 10]]);
});

test("marks that are far enough apart all stand on the lowest row", () => {
  const p = new Placer(10, 3, 6);
  for (let x = 0; x < 100; x += 10) {
    p.place(x);
    assert.deepEqual([p.row, p.moved], [0, 0]);
  }
});

test("no two placed marks overlap, and none moves further than its reach", () => {
  const p = new Placer(9, 4, 3);
  const free = [-Infinity, -Infinity, -Infinity, -Infinity];
  let x = 0;
  let seed = 7;
  let told = 0;
  for (let i = 0; i < 5000; i++) {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    x += (seed % 100) / 20;
    p.place(x);
    if (p.row === crowded) {
      told++;
      continue;
    }
    assert.ok(p.moved <= 27);
    assert.ok(x + p.moved >= free[p.row], "covers the mark before it");
    free[p.row] = x + p.moved + 9;
  }
  assert.ok(told > 0, "nothing was ever crowded, so the bound was not tried");
});

test("a placed mark does not move when more come", () => {
  const first = new Placer(9, 4, 6);
  const second = new Placer(9, 4, 6);
  const places = (p, xs) => xs.map((x) => (p.place(x), [p.row, p.moved]));
  const xs = [0, 1, 1, 5, 9, 30];
  assert.deepEqual(places(second, [...xs, 31, 31, 31]).slice(0, xs.length), places(first, xs));
});

test("a bar never loses a refusal among thousands", () => {
  const parts = stack([0, 4999, 0, 1, 0], 5000, 60, 2, []);
  assert.equal(parts[3], 2);
  assert.ok(Math.abs(parts[1] - 58) < 1e-9);
  assert.equal(parts[0], 0);
});

test("a bar's parts are in proportion and add up", () => {
  const parts = stack([0, 10, 0, 30, 0], 80, 64, 2, []);
  assert.deepEqual(parts, [0, 8, 0, 24, 0]);
  assert.deepEqual(stack([0, 0, 0, 0, 0], 10, 64, 2, []), [0, 0, 0, 0, 0]);
});

test("the axis has round steps and fitting labels", () => {
  assert.equal(roundUp(1), 1);
  assert.equal(roundUp(2.1), 5);
  assert.equal(roundUp(600), 1000);
  assert.equal(tick(view, 72), 2e6);
  assert.equal(tickLabel(2e6, 2e6), "2 s");
  assert.equal(tickLabel(2.5e6, 5e5), "2.5 s");
  assert.equal(tickLabel(65e6, 5e6), "1:05");
  assert.equal(tickLabel(65.25e6, 5e4), "1:05.25");
  assert.equal(tickLabel(86_460e6, 2e6), "24:01:00");
  assert.equal(tickLabel(3_600.5e6, 5e5), "1:00:00.5");
});

test("the clock runs on between frames and never backwards", () => {
  const hand = new Hand();
  hand.sync(1e6, 1, 1000);
  assert.equal(hand.read(1000), 1e6);
  assert.equal(hand.read(1050), 1.05e6);
  // The next frame is a little behind what is shown: the hand waits for it.
  hand.sync(1.04e6, 1, 1050);
  assert.equal(hand.read(1051), 1.05e6);
  assert.equal(hand.read(1080), 1.07e6);
});

test("the clock stands while paused, runs at its pace, and stops when frames stop", () => {
  const hand = new Hand();
  hand.sync(5e6, 0, 0);
  assert.equal(hand.read(900), 5e6);
  hand.sync(5e6, 10, 1000);
  assert.equal(hand.read(1100), 6e6);
  assert.equal(hand.read(60_000), 15e6);
});

test("a reset takes the clock back at once", () => {
  const hand = new Hand();
  hand.sync(50e6, 1, 0);
  hand.read(10);
  hand.sync(0, 1, 20);
  assert.equal(hand.read(20), 0);
});

/** The bars of requests at these times, a microsecond a pixel.
 * @param {number[]} times */
/** Columns that are too full for marks, found by looking at every request. */
function bars({ lo, hi, width, now, time, row, moved }) {
  const bin = (at) => Math.floor(at / width);
    const out = [];
  const tight = new Set();
  let next = bin(now);
  for (let end = hi; end > lo; ) {
    const here = bin(time(end - 1));
    let start = end;
    let over = false;
    while (start > lo && bin(time(start - 1)) === here) {
      start--;
      over ||= row(start) === crowded || tight.has(bin(time(start) + moved(start)));
    }
    if (over) {
      tight.add(here);
      out.push({ bin: here, lo: start, hi: end, free: Math.max(0, next - here - 1) });
    }
    next = here;
    end = start;
  }
  return out.reverse();
}


/** The same by columns that are counted as the requests come. */
function counted(times, places, width, now, verdict = () => 0) {
  const columns = new Columns(width, 1);
  times.forEach((at, i) => columns.add(i, at, places[i][0], places[i][1], false, [verdict(i)], 0));
  return full(columns.between(-Infinity, Infinity), Math.floor(now / width));
}

function barsOf(times, { rows = 2, cell = 10, reach = 2, now = 1000 } = {}) {
  const placer = new Placer(cell, rows, reach);
  const places = times.map((at) => (placer.place(at), [placer.row, placer.moved]));
  return bars({
    lo: 0, hi: times.length, width: cell, now,
    time: (i) => times[i], row: (i) => places[i][0], moved: (i) => places[i][1],
  });
}

test("what fits as marks is no bar", () => {
  assert.deepEqual(barsOf([0, 0, 0, 0, 50, 51]), []);
});

test("a column too full for marks is a bar of all its requests", () => {
  assert.deepEqual(barsOf([3, ...Array(9).fill(105), 142]), [{ bin: 10, lo: 1, hi: 10, free: 3 }]);
});

test("the newest bar knows the free columns up to now", () => {
  assert.deepEqual(barsOf(Array(9).fill(105), { now: 134 }), [{ bin: 10, lo: 0, hi: 9, free: 2 }]);
});

test("in an overload no mark stands on a bar", () => {
  const times = Array.from({ length: 400 }, (_, i) => i * 3);
  const placer = new Placer(10, 2, 4);
  const places = times.map((at) => (placer.place(at), [placer.row, placer.moved]));
  const found = bars({ lo: 0, hi: 400, width: 10, now: 1200, time: (i) => times[i], row: (i) => places[i][0], moved: (i) => places[i][1] });
  const bins = new Set(found.map((b) => b.bin));
  const inBar = (i) => found.some((b) => i >= b.lo && i < b.hi);
  assert.ok(found.length > 50);
  times.forEach((at, i) => {
    if (!inBar(i)) assert.ok(!bins.has(Math.floor((at + places[i][1]) / 10)), `the mark of request ${i} stands on a bar`);
  });
});

test("columns that are counted as requests come are those that looking at all finds", () => {
  let seed = 3;
  const dice = (n) => (seed = (seed * 48271) % 2147483647) % n;
  let found = 0;
  for (let round = 0; round < 300; round++) {
    const times = [];
    for (let at = 0, i = 0; i < 150; i++) times.push((at += [0, 0, 1, 3, 30][dice(5)] * dice(4)));
    const placer = new Placer(10, 1 + dice(4), 1 + dice(5));
    const places = times.map((at) => (placer.place(at), [placer.row, placer.moved]));
    const now = times[times.length - 1] + dice(50);
    const want = bars({ lo: 0, hi: times.length, width: 10, now, time: (i) => times[i], row: (i) => places[i][0], moved: (i) => places[i][1] });
    const got = counted(times, places, 10, now, (i) => i % 5);
    assert.deepEqual(got.map(({ bin, lo, hi, free }) => ({ bin, lo, hi, free })), want);
    for (const bar of got) {
      const counts = [0, 0, 0, 0, 0];
      for (let i = bar.lo; i < bar.hi; i++) counts[i % 5]++;
      assert.deepEqual([...bar.counts], counts);
    }
    found += got.length;
  }
  assert.ok(found > 100);
});

test("columns are found by time, and forgotten with their requests", () => {
  const columns = new Columns(10, 1);
  [5, 15, 16, 38].forEach((at, i) => columns.add(i, at, 0, 0, i === 2, [0, 1], 1));
  assert.deepEqual(columns.between(0, 39).map((c) => [c.bin, c.lo, c.hi, c.at, c.differ]), [[0, 0, 1, 5, false], [1, 1, 3, 15, true], [3, 3, 4, 38, false]]);
  assert.deepEqual(columns.between(12, 29).map((c) => c.bin), [1]);
  columns.drop(2);
  assert.deepEqual(columns.between(0, 39).map((c) => c.bin), [1, 3]);
  columns.drop(3);
  assert.deepEqual(columns.between(0, 39).map((c) => c.bin), [3]);
});

test("the zoom goes from round span to round span, also from between them", () => {
  assert.equal(nextSpan(10e6, 1), 20e6);
  assert.equal(nextSpan(10e6, -1), 5e6);
  assert.equal(nextSpan(7.3e6, 1), 10e6);
  assert.equal(nextSpan(7.3e6, -1), 5e6);
  assert.equal(nextSpan(600e6, 1), 600e6);
  assert.equal(nextSpan(0.05e6, -1), 0.05e6);
  assert.equal(heldSpan(1), 0.05e6);
  assert.equal(heldSpan(1e12), 600e6);
  assert.deepEqual([0.05e6, 1.2512e6, 10e6, 600e6].map(spanText), ["0.05\u00a0s", "1.25\u00a0s", "10\u00a0s", "600\u00a0s"]);
});

test("everything is in view when it fits the largest span", () => {
  for (const now of [0, 1e6, 4e6, 4.7e6, 9.9e6, 29e6, 500e6]) {
    const span = wholeSpan(now);
    const end = following(now, span);
    assert.ok(end - span <= 0 && end >= now, `now ${now}, span ${span}`);
  }
  assert.equal(wholeSpan(3.7e6), 5e6);
  assert.equal(wholeSpan(1e9), 600e6);
});

test("edges of windows are whole multiples of their length, in view", () => {
  const view = { end: 10_500_000, span: 5_000_000, width: 500 };
  assert.deepEqual(edges(view, 1_000_000, 6), [6, 7, 8, 9, 10].map((s) => s * 1e6));
  assert.deepEqual(edges({ ...view, end: 2_000_000 }, 1_000_000, 6), [0, 1e6, 2e6]);
  // Closer than six pixels they would be a wall.
  assert.deepEqual(edges(view, 50_000, 6), []);
  assert.equal(edges(view, 60_000, 6).length, 84);
});

test("a scale grows at once and shrinks late", () => {
  assert.equal(settled(10, 11), roundUp(11));
  assert.equal(settled(50, 50), 50);
  assert.equal(settled(50, 21), 50);
  assert.equal(settled(50, 20), roundUp(20));
});
