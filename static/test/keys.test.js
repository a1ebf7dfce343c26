import assert from "node:assert/strict";
import { test } from "node:test";
import { deed } from "../js/keys.js";

const press = (key, more = {}) => deed({ key, shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, repeat: false, ...more });

test("keys ask for what the page says they do", () => {
  assert.equal(press(" "), "one");
  assert.equal(press("ArrowLeft"), "earlier");
  assert.equal(press("ArrowRight"), "later");
  assert.equal(press("ArrowRight", { shiftKey: true }), "step");
  assert.equal(press("Escape"), "follow");
  assert.equal(press("d"), "differ");
  assert.equal(press("D", { shiftKey: true }), "differed");
  assert.equal(press("?", { shiftKey: true }), "help");
  assert.equal(press("?"), "help");
});

test("the browser's own keys and other keys are left alone", () => {
  for (const key of ["a", "Enter", "Tab", "ArrowDown", "Home", "constructor"]) assert.equal(press(key), undefined);
  for (const with_ of ["ctrlKey", "metaKey", "altKey"]) assert.equal(press("ArrowRight", { [with_]: true }), undefined);
  assert.equal(press(" ", { shiftKey: true }), undefined);
});

test("a key that is held down moves on and gives no commands", () => {
  assert.equal(press("ArrowRight", { repeat: true }), "later");
  assert.equal(press(" ", { repeat: true }), undefined);
  assert.equal(press("ArrowRight", { repeat: true, shiftKey: true }), undefined);
});
