import assert from "node:assert/strict";
import { test } from "node:test";
import { addBurst, paint, ratesOf, remove, shapeBurst, stepOf, timeText } from "../js/draft.js";
import { Past } from "../js/undo.js";

const burst = (n, at, rest = "") => ({ kind: "burst", n, at, rest });
const steady = (rate, at, to, rest = "") => ({ kind: "steady", rate, per: 1e9, at, to, n: 1, rest });

/** A text of patterns with their shapes, as the server would tell them. */
function draft(text, ...shapes) {
  let from = 0;
  const placed = shapes.map(([pattern, shape]) => {
    const start = text.indexOf(pattern, from);
    assert.ok(start >= from, pattern);
    from = start + pattern.length;
    return { ...shape, start, end: from };
  });
  return { text, shapes: placed };
}

/** Every shape stands where it says. */
const stands = (d, ...patterns) => assert.deepEqual(d.shapes.map((s) => d.text.slice(s.start, s.end)), patterns);

test("a burst moves and grows in its place, and all else stays as it was written", () => {
  const d = draft("14@0s key=\"ü\"; # note\n3@2s", ["14@0s key=\"ü\"", burst(14, 0, " key=\"ü\"")], ["3@2s", burst(3, 2e6)]);
  const moved = shapeBurst(d, 0, { at: 1_250_000 });
  assert.equal(moved.text, "14@1.25s key=\"ü\"; # note\n3@2s");
  stands(moved, "14@1.25s key=\"ü\"", "3@2s");
  const grown = shapeBurst(moved, 1, { n: 120 });
  assert.equal(grown.text, "14@1.25s key=\"ü\"; # note\n120@2s");
  stands(grown, "14@1.25s key=\"ü\"", "120@2s");
  assert.equal(shapeBurst(d, 1, { at: -5, n: 0 }).text, "14@0s key=\"ü\"; # note\n1@0s");
});

test("a pattern goes with one separator", () => {
  const three = draft("1@0s; 2@1s ; 3@2s", ["1@0s", burst(1, 0)], ["2@1s", burst(2, 1e6)], ["3@2s", burst(3, 2e6)]);
  stands(remove(three, 0), "2@1s", "3@2s");
  assert.deepEqual([0, 1, 2].map((i) => remove(three, i).text), ["2@1s ; 3@2s", "1@0s; 3@2s", "1@0s; 2@1s "]);
  assert.equal(remove(draft("1@0s", ["1@0s", burst(1, 0)]), 0).text, "");
  assert.equal(remove(draft("1@0s # note", ["1@0s", burst(1, 0)]), 0).text, " # note");
});

test("a pattern is added behind what is there, and never into a comment", () => {
  for (const [text, want] of [["", "5@1s"], ["1@0s", "1@0s; 5@1s"], ["1@0s;\n", "1@0s; 5@1s"], ["1@0s # note", "1@0s # note\n5@1s"], ["1@0s # so;\n", "1@0s # so;\n5@1s"]]) {
    const d = addBurst({ text, shapes: [] }, 5, 1e6);
    assert.equal(d.text, want);
    stands(d, "5@1s");
  }
});

test("painting writes rates from cell to cell, neighbours as one", () => {
  const empty = { text: "14@0s", shapes: draft("14@0s", ["14@0s", burst(14, 0)]).shapes };
  const one = paint(empty, 250_000, 4, 5, 8);
  assert.equal(one.text, "14@0s; 8/s 1s..1.5s");
  const more = paint(one, 250_000, 6, 7, 8);
  assert.equal(more.text, "14@0s; 8/s 1s..2s");
  stands(more, "14@0s", "8/s 1s..2s");
  const higher = paint(more, 250_000, 5, 5, 20);
  assert.equal(higher.text, "14@0s; 8/s 1s..1.25s; 8/s 1.5s..2s; 20/s 1.25s..1.5s");
  assert.deepEqual(ratesOf(higher.shapes, 250_000, 40).slice(3, 9), [0, 8, 20, 8, 8, 0]);
  assert.equal(paint(higher, 250_000, 0, 39, 0).text, "14@0s");
});

test("painting leaves what it has not painted", () => {
  const d = draft("4/s 0s..2s key=ann; 9/s 0.1s..1s; 5/s 0s..60s", ["4/s 0s..2s key=ann", steady(4, 0, 2e6, " key=ann")], ["9/s 0.1s..1s", steady(9, 1e5, 1e6)], ["5/s 0s..60s", steady(5, 0, 60e6)]);
  const painted = paint(d, 250_000, 0, 0, 0);
  assert.equal(painted.text, "4/s 0s..2s key=ann; 9/s 0.1s..1s; 5/s 0.25s..60s");
  stands(painted, "4/s 0s..2s key=ann", "9/s 0.1s..1s", "5/s 0.25s..60s");
});

test("painting a cell changes that cell and no other", () => {
  const cell = 250_000;
  let seed = 11;
  const dice = (n) => (seed = (seed * 48271) % 2147483647) % n;
  for (let round = 0; round < 300; round++) {
    // Patterns may overlap, and go on beyond what is shown.
    const some = Array.from({ length: 1 + dice(4) }, () => {
      const at = dice(40) * cell;
      return [[2, 5, 20][dice(3)], at, at + (1 + dice(60)) * cell];
    });
    let d = draft(some.map(([r, at, to]) => `${r}/s ${timeText(at)}..${timeText(to)}`).join("; "), ...some.map(([r, at, to]) => [`${r}/s ${timeText(at)}..${timeText(to)}`, steady(r, at, to)]));
    for (let i = 0; i < 8; i++) {
      const before = ratesOf(d.shapes, cell, 120);
      const from = dice(40);
      const last = Math.min(39, from + dice(6));
      const rate = [0, 2, 5, 20][dice(4)];
      d = paint(d, cell, from, last, rate);
      assert.deepEqual(ratesOf(d.shapes, cell, 120), before.map((r, c) => (c >= from && c <= last ? rate : r)), d.text);
      stands(d, ...d.shapes.map((s) => `${s.rate}/s ${timeText(s.at)}..${timeText(s.to)}`));
    }
  }
});

test("rates that are not on the cells count as far as they lie in one", () => {
  assert.deepEqual(ratesOf([steady(10, 100, 350), { ...steady(60, 200, 400), per: 60e9 }, burst(3, 0)], 100, 5), [0, 10, 11, 6, 0]);
});

test("what was undone is done again, until something else is written", () => {
  const past = new Past("");
  past.note("1");
  past.note("12", true);
  past.note("12; 3");
  assert.equal(past.undo(), "12");
  assert.equal(past.undo(), "");
  assert.equal(past.undo(), "");
  assert.equal(past.redo(), "12");
  past.note("4", true);
  assert.deepEqual([past.redoable, past.undo(), past.undo()], [false, "12", ""]);
  const short = new Past("0", 3);
  for (const t of "123456") short.note(t);
  assert.deepEqual(short.texts, ["4", "5", "6"]);
});

test("random gestures keep every shape in its place, and undoing them all leads back", () => {
  let seed = 7;
  const dice = (n) => (seed = (seed * 48271) % 2147483647) % n;
  for (let round = 0; round < 200; round++) {
    let d = { text: "", shapes: [] };
    const past = new Past("", 1000);
    for (let i = 0; i < 30; i++) {
      const bursts = d.shapes.flatMap((s, j) => (s.kind === "burst" ? [j] : []));
      const any = bursts.length > 0 ? bursts[dice(bursts.length)] : -1;
      switch (dice(5)) {
        case 0: d = addBurst(d, 1 + dice(50), dice(100) * 100_000); break;
        case 1: if (any >= 0) d = shapeBurst(d, any, { at: dice(100) * 10_000 }); break;
        case 2: if (any >= 0) d = shapeBurst(d, any, { n: 1 + dice(500) }); break;
        case 3: if (any >= 0 && dice(3) === 0) d = remove(d, any); break;
        case 4: { const from = dice(40); d = paint(d, 250_000, from, Math.min(39, from + dice(6)), [0, 1, 5, 20][dice(4)]); }
      }
      past.note(d.text);
      for (const s of d.shapes) {
        const text = d.text.slice(s.start, s.end);
        if (s.kind === "burst") assert.equal(text, `${s.n}@${timeText(s.at)}`);
        else assert.equal(text, `${s.rate}/s ${timeText(s.at)}..${timeText(s.to)}`);
      }
      // Between the patterns there is one separator.
      assert.equal(d.text.split(";").length, Math.max(1, d.shapes.length), d.text);
    }
    while (past.undoable) past.undo();
    assert.equal(past.text, "");
  }
});

test("steps are round", () => {
  assert.deepEqual([2e6, 5e6, 10e6, 60e6].map(stepOf), [20_000, 50_000, 100_000, 600_000]);
});
