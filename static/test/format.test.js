import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { clock, count, fill, indexOfByte, missed, span } from "../js/format.js";

test("clock", () => {
  assert.equal(clock(12_340_000), "00:12.340");
  assert.equal(clock(999), "00:00.000");
  assert.equal(clock(3_600_000_000), "1:00:00.000");
});

test("span says what the server says", () => {
  const table = JSON.parse(readFileSync(new URL("../../views/testdata/spans.json", import.meta.url), "utf8"));
  for (const [us, words] of table) assert.equal(span(us).replaceAll("\u00a0", " "), words, `${us} µs`);
});

test("count", () => assert.equal(count(1234567), "1,234,567"));

test("missed is a sentence, or nothing", () => {
  const plain = (n) => missed(n).replace("\u00a0", " ");
  assert.equal(plain(0), "");
  assert.equal(plain(1), "1 older request is no longer shown");
  assert.equal(plain(1204), "1,204 older requests are no longer shown");
});

test("fill puts the form's fields into a command and leaves other braces alone", () => {
  const form = new FormData();
  form.set("count", " 14 ");
  form.set("gap", "0s");
  assert.equal(fill("send {count}@0s every {gap}", form), "send 14@0s every 0s");
  assert.equal(fill('policies {"policies":[]}', form), 'policies {"policies":[]}');
  assert.equal(fill("send {missing}", form), "send {missing}");
});

test("indexOfByte counts bytes of UTF-8", () => {
  const text = "µs 😀 x";
  assert.equal(indexOfByte(text, 0), 0);
  assert.equal(indexOfByte(text, 2), 1);
  assert.equal(indexOfByte(text, 8), 5);
  assert.equal(text[indexOfByte(text, 9)], "x");
  assert.equal(indexOfByte(text, 99), text.length);
});
