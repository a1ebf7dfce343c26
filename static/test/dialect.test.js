import assert from "node:assert/strict";
import { test } from "node:test";
import { remember, remembered, textIn } from "../js/dialect.js";

const known = ["ietf", "seconds", "epoch"];

/** @param {{getItem(name: string): string | null, setItem(name: string, value: string): void}} storage */
function stored(storage) {
  Object.defineProperty(globalThis, "localStorage", { value: storage, configurable: true });
}

test("a dialect is remembered, and anything else is not", () => {
  const kept = new Map();
  stored({ getItem: (name) => kept.get(name) ?? null, setItem: (name, value) => kept.set(name, value) });
  assert.equal(remembered("ietf", known), "ietf");
  remember("epoch");
  assert.equal(remembered("ietf", known), "epoch");
  remember("klingon");
  assert.equal(remembered("ietf", known), "ietf");
});

test("without storage there is the usual one", () => {
  const no = () => {
    throw new Error("forbidden");
  };
  stored({ getItem: no, setItem: no });
  remember("epoch");
  assert.equal(remembered("ietf", known), "ietf");
});

test("a line is read without the parts of other dialects", () => {
  const part = (textContent, only) => ({ textContent, dataset: only === undefined ? undefined : { in: only } });
  const line = { childNodes: [part("curl 'x"), part("&d=s", "seconds"), part("&d=e", "epoch"), part("&d=b", "seconds epoch"), part("'")] };
  assert.equal(textIn(line, "ietf"), "curl 'x'");
  assert.equal(textIn(line, "seconds"), "curl 'x&d=s&d=b'");
  assert.equal(textIn(line, "epoch"), "curl 'x&d=e&d=b'");
});
