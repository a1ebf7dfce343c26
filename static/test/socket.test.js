import assert from "node:assert/strict";
import { test } from "node:test";
import { Refused, Socket } from "../js/socket.js";

/** A world in which sockets and timers do what the test says. */
function world(seq = 5, exists) {
  const w = { sockets: [], timers: [], messages: [], states: [] };
  class Fake {
    constructor(address) {
      this.address = address;
      this.readyState = 0;
      this.sent = [];
      w.sockets.push(this);
    }
    send(text) {
      this.sent.push(JSON.parse(text));
    }
    open() {
      this.readyState = 1;
      this.onopen();
    }
    get(message) {
      this.onmessage({ data: JSON.stringify(message) });
    }
    close(code = 1006) {
      this.readyState = 3;
      return this.onclose({ code });
    }
  }
  w.socket = new Socket(
    "ws://host/r/x/socket",
    seq,
    { message: (m) => w.messages.push(m.seq), connection: (c) => w.states.push(c), exists },
    { WebSocket: Fake, setTimeout: (f, ms) => w.timers.push([f, ms]), random: () => 0.5 },
  );
  w.newest = () => w.sockets.at(-1);
  return w;
}

test("frames in order are handed on", () => {
  const w = world();
  assert.equal(w.newest().address, "ws://host/r/x/socket?seq=5");
  w.newest().open();
  w.newest().get({ type: "frame", seq: 6 });
  w.newest().get({ type: "frame", seq: 7 });
  w.newest().get({ type: "frame", seq: 7 });
  assert.deepEqual(w.messages, [6, 7]);
  assert.deepEqual(w.newest().sent, []);
});

test("a gap asks again from the last number, once", () => {
  const w = world();
  w.newest().open();
  w.newest().get({ type: "frame", seq: 6 });
  w.newest().get({ type: "frame", seq: 9 });
  w.newest().get({ type: "frame", seq: 10 });
  assert.deepEqual(w.newest().sent, [{ type: "resume", seq: 6 }]);
  for (const seq of [7, 8, 9, 10, 11]) w.newest().get({ type: "frame", seq });
  assert.deepEqual(w.messages, [6, 7, 8, 9, 10, 11]);
  w.newest().get({ type: "frame", seq: 20 });
  assert.deepEqual(w.newest().sent.at(-1), { type: "resume", seq: 11 });
});

test("a whole replaces everything, whatever its number", () => {
  const w = world();
  w.newest().open();
  w.newest().get({ type: "whole", seq: 2 });
  w.newest().get({ type: "frame", seq: 3 });
  assert.deepEqual(w.messages, [2, 3]);
});

test("it comes back with growing pauses, from its last number", async () => {
  const w = world();
  w.newest().open();
  w.newest().get({ type: "frame", seq: 6 });
  const pauses = [];
  for (let i = 0; i < 7; i++) {
    await w.newest().close();
    const [open, ms] = w.timers.at(-1);
    pauses.push(ms);
    open();
  }
  assert.deepEqual(pauses, [250, 500, 1000, 2000, 4000, 5000, 5000]);
  assert.equal(w.newest().address, "ws://host/r/x/socket?seq=6");
  w.newest().open();
  await w.newest().close();
  assert.equal(w.timers.at(-1)[1], 250);
});

test("a room that has ended is not called again", async () => {
  const w = world(5, async () => false);
  w.newest().open();
  await w.newest().close(1001);
  assert.equal(w.states.at(-1), "gone");
  assert.equal(w.timers.length, 0);
  await assert.rejects(w.socket.command("pause"), { message: "This room has ended." });
});

test("a room that a new server does not know is not called again", async () => {
  let known = true;
  const w = world(5, async () => known);
  w.newest().open();
  await w.newest().close(1006);
  w.timers.at(-1)[0]();
  await w.newest().close(1006);
  assert.equal(w.timers.length, 2);
  w.timers.at(-1)[0]();
  known = false;
  await w.newest().close(1006);
  assert.equal(w.states.at(-1), "gone");
  assert.equal(w.timers.length, 2);
});

test("a server that restarts is called again", async () => {
  const w = world(5, async () => true);
  w.newest().open();
  await w.newest().close(1001);
  assert.equal(w.timers.length, 1);
});

test("a command is answered by its number", async () => {
  const w = world();
  w.newest().open();
  const first = w.socket.command("pause");
  const second = w.socket.command("send x");
  assert.deepEqual(w.newest().sent.map((m) => [m.id, m.text]), [[1, "pause"], [2, "send x"]]);
  w.newest().get({ type: "error", id: 2, message: "no", offset: 5 });
  w.newest().get({ type: "done", id: 1 });
  await first;
  await assert.rejects(second, (e) => e instanceof Refused && e.message === "no" && e.offset === 5);
});

test("a command without a connection is refused, and so is one that loses it", async () => {
  const w = world();
  await assert.rejects(w.socket.command("pause"), Refused);
  w.newest().open();
  const lost = w.socket.command("pause");
  w.newest().close();
  await assert.rejects(lost, Refused);
});
