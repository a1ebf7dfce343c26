// Finds the page's hooks and wires them: the only module that knows them all.

import { Announcer } from "./announce.js";
import { Comparison } from "./compare.js";
import { Budget, sentences } from "./budget.js";
import { ByKey } from "./bykey.js";
import { composer, press } from "./composer.js";
import { copy } from "./copy.js";
import { curl } from "./curl.js";
import { Cursor } from "./cursor.js";
import { Decisions } from "./decisions.js";
import { drafting } from "./drafting.js";
import { clock, count } from "./format.js";
import { Inspector } from "./inspector.js";
import { keys } from "./keys.js";
import { Hand, spanText, wholeSpan } from "./layout.js";
import { Loop } from "./loop.js";
import { menus } from "./menu.js";
import { Panels, setText } from "./panels.js";
import { patterns } from "./patterns.js";
import { policies } from "./policies.js";
import { post } from "./post.js";
import { freshPage, Latest, refresh } from "./refresh.js";
import { Refused, Socket } from "./socket.js";
import { Still } from "./still.js";
import { Span } from "./span.js";
import { Store } from "./store.js";
import { themes } from "./themes.js";
import { Timeline } from "./timeline.js";

/** @template {Element} T
 * @param {string} selector
 * @param {new () => T} type
 * @returns {T} */
function find(selector, type) {
  const e = document.querySelector(selector);
  if (!(e instanceof type)) throw new Error(`The page has no ${selector}.`);
  return e;
}

/** How often the numbers beside the picture are renewed at most, and for how long
 * they are so at once when somebody has done something, in milliseconds. */
const renewEvery = 100;
const promptFor = 400;

/** How much of the past the levels are told of. */
const levelSpan = 60e6;

const still = matchMedia("(prefers-reduced-motion: reduce)");

themes(document);
if (document.querySelector("[data-lab]")) lab();
else if (document.querySelector("[data-alone]")) alone();

/** A request on a page of its own. */
function alone() {
  const toast = find("[data-toast]", HTMLElement);
  copy(document, (text) => {
    toast.textContent = text;
    toast.hidden = false;
  });
}

function lab() {
  /** @type {PageData} */
  const data = JSON.parse(find("#page-data", HTMLScriptElement).textContent ?? "");
  const room = `/r/${encodeURIComponent(data.room.name)}`;
  const requests = `${room}/requests/`;

  const store = new Store(data);
  const announcer = new Announcer(find("[data-announce]", HTMLElement));
  const hand = new Hand();
  const panels = new Panels(document);
  const byKey = new ByKey(document);
  const decisions = new Decisions(document, requests);
  const clockFace = find("[data-clock]", HTMLElement);
  const pick = find("[data-pick]", HTMLElement);
  const followButton = find("[data-follow]", HTMLButtonElement);
  const spanWords = find("[data-span]", HTMLElement);
  const inspector = new Inspector(find("[data-inspector]", HTMLElement), requests, choose);
  const span = new Span(inspector.panel, `${room}/span`, (selected) => timeline.selectSpan(selected), (text) => announcer.say(text), {
    changed: () => loop.wake(),
    back: () => pick.focus({ preventScroll: true }),
  });
  const loop = new Loop(draw);
  const timeline = new Timeline(find("[data-stage]", HTMLElement), store, () => loop.wake(), choose);
  const cursor = new Cursor(document, room, store, () => timeline, () => loop.wake(), (text) => announcer.say(text));
  const comparison = new Comparison(document, (lanes) => timeline.mark(lanes), () => loop.wake());

  hand.sync(data.now, 0, performance.now());

  let renewedAt = -Infinity;
  let actedAt = -Infinity;
  for (const act of ["pointerdown", "click", "keydown"]) {
    document.addEventListener(act, () => (actedAt = performance.now()), { capture: true, passive: true });
  }

  /** @param {number} ms */
  function draw(ms) {
    const moving = hand.pace > 0 && !still.matches;
    const now = still.matches ? store.last.now : hand.read(ms);
    const shown = cursor.moment ?? store;
    // Numbers that change faster cannot be read; what somebody has just done shows
    // at once.
    const prompt = performance.now() - actedAt < promptFor;
    // The picture goes first; the next frame has time for the numbers.
    const renew = prompt || ms - renewedAt >= (store.dirty.requests ? 2 : 1) * renewEvery;
    if (store.dirty.panels && renew) {
      renewedAt = ms;
      panels.draw(store, shown);
      byKey.draw(store);
      if (cursor.at < 0) announcer.scores(store.lanes, store.scores);
      store.dirty.panels = false;
    }
    shown.dirty.requests ||= store.dirty.requests;
    const stale = decisions.draw(shown, ms) || store.dirty.panels;
    if (store.dirty.requests) describePick();
    const behind = [comparison.draw(store.dirty.requests, ms), span.draw(store.dirty.requests, now, ms)].includes(true);
    store.dirty.requests = false;
    const face = clock(cursor.at < 0 ? now : cursor.at);
    setText(clockFace, face);
    if (face.length > 9 !== clockFace.classList.contains("long")) clockFace.classList.toggle("long");
    const zooming = timeline.draw(now);
    cursor.draw(now);
    return moving || stale || behind || zooming;
  }

  function describePick() {
    const newest = store.expected - 1;
    pick.setAttribute("aria-valuemin", String(store.tail > store.head ? store.numberOf(store.head) : 0));
    pick.setAttribute("aria-valuemax", String(Math.max(0, newest)));
    if (inspector.number < 0) pick.setAttribute("aria-valuenow", String(Math.max(0, newest)));
  }

  /** Chooses a request; -1 for none. @param {number} number */
  function choose(number) {
    const inside = inspector.panel.contains(document.activeElement);
    span.leave();
    timeline.select(number);
    followButton.setAttribute("aria-pressed", String(timeline.follow));
    inspector.show(number);
    pick.setAttribute("aria-valuenow", String(Math.max(0, number)));
    pick.setAttribute("aria-valuetext", number < 0 ? "No request chosen" : timeline.describe(number));
    loop.wake();
    // Who closes the panel is at the time line, from where it goes on by keys.
    if (inside && number < 0) pick.focus({ preventScroll: true });
  }

  const toast = find("[data-toast]", HTMLElement);
  let toastTimer = 0;
  /** @param {string} text */
  function tell(text) {
    toast.textContent = text;
    toast.hidden = false;
    announcer.say(text);
    clearTimeout(toastTimer);
    toastTimer = window.setTimeout(() => (toast.hidden = true), 4000);
  }

  // The room.
  const connection = find("[data-connection]", HTMLElement);
  const connectionWords = { connecting: "connecting", live: "live", lost: "reconnecting", gone: "this room has ended" };
  // A story shows a state and has no lab behind it.
  const story = "story" in document.documentElement.dataset;
  const socket = story ? new Still() : new Socket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${room}/socket`, data.seq, {
    message: receive,
    connection: (c) => {
      connection.dataset.state = c;
      setText(document.querySelector("[data-connection-words]"), connectionWords[c]);
      if (c !== "live") hand.sync(store.last.now, 0, performance.now());
      if (c !== "connecting") told(c);
    },
    exists: () => fetch(`${room}/policies`).then((r) => r.status !== 404, () => true),
  });

  let lostTimer = 0;
  /** Says in large what hinders; a short loss goes without a word.
   * @param {"live" | "lost" | "gone"} c */
  function told(c) {
    if (c === "lost") {
      lostTimer ||= window.setTimeout(() => show(c), 1500);
      return;
    }
    clearTimeout(lostTimer);
    lostTimer = 0;
    show(c);
    if (c !== "gone") return;
    inspector.ended = true;
    byKey.ended = true;
    for (const e of document.querySelectorAll("form button, [data-pace], [data-copy]")) e.setAttribute("disabled", "");
    for (const e of document.querySelectorAll("[data-back], [data-share], [data-playhead]")) e.setAttribute("inert", "");
  }

  /** @param {string} state whose words are shown; those of others go */
  function show(state) {
    for (const e of document.querySelectorAll("[data-state-words]")) {
      if (!(e instanceof HTMLElement)) continue;
      e.hidden = e.dataset.stateWords !== state;
      if (!e.hidden) announcer.say(e.textContent ?? "");
    }
  }

  /** @param {Extract<Message, {type: "whole" | "frame"}>} m */
  function receive(m) {
    setText(document.querySelector("[data-viewers]"), `${count(m.viewers)} here`);
    if (m.type === "whole") {
      if (store.whole(m)) {
        if (inspector.number >= 0) choose(-1);
        timeline.restart();
        cursor.again(!store.dirty.lanes);
        if (!store.dirty.lanes) void levels();
      }
    } else if (m.gen !== store.last.gen) {
      socket.resume(0);
      return;
    } else {
      store.frame(m);
    }
    hand.sync(m.now, m.paused ? 0 : Number(m.pace), performance.now());
    loop.wake();
    if (store.dirty.lanes) {
      store.dirty.lanes = false;
      void lanes.ask();
    }
  }

  /** Asks for the levels of before: the page came later, or has new lanes. */
  async function levels() {
    if (story) return;
    const from = Math.max(0, Math.floor(store.last.now) - levelSpan);
    const answer = await fetch(`${room}/levels?from=${from}`).catch(() => null);
    if (!answer?.ok) return; // the picture begins where the page came
    store.past(await answer.json());
    loop.wake();
  }

  const lanes = new Latest(() => freshPage(document, budget.query), (page) => {
    if (!page) return;
    void levels();
    refresh(document, page);
    budget.refreshed(page);
    panels.collect();
    byKey.collect();
    lines.again();
    store.dirty.panels = store.dirty.requests = true;
    timeline.measure();
    loop.wake();
  });

  /** Gives a command: to the room or, where the page shows the past, to a copy of
   * the room in which it is given then.
   * @param {string} text */
  const give = async (text) => {
    if (cursor.at < 0 || !/^(send|stream|stop|hit|policies)\b/.test(text)) {
      if (text === "step" && cursor.at >= 0) return cursor.forward();
      return socket.command(text);
    }
    const wrong = await post(`${room}/commands`, new URLSearchParams({ command: text, at: String(cursor.at) }));
    if (wrong) throw new Refused(wrong.message);
  };

  for (const button of document.querySelectorAll("[data-picture]")) {
    button.addEventListener("click", async () => {
      const kind = button.getAttribute("data-picture") ?? "";
      const text = (/** @type {Element} */ e, /** @type {string} */ selector) => e.querySelector(selector)?.textContent?.trim() ?? "";
      const words = {
        room: data.room.name,
        clock: clock(cursor.at < 0 ? timeline.now : cursor.at),
        lanes: [...document.querySelectorAll("[data-lane]")].map((e, i) => ({
          title: store.lanes[i]?.title ?? "",
          summary: store.lanes[i]?.summary ?? "",
          level: text(e, "[data-level]"),
        })),
      };
      // Few need it, so it is fetched when somebody does.
      const { svg, png } = await import("./picture.js");
      const file = kind === "svg" ? new Blob([svg(timeline, words)], { type: "image/svg+xml" }) : await png(timeline, words);
      if (!file) return;
      const link = document.createElement("a");
      link.href = URL.createObjectURL(file);
      link.download = `${data.room.name}.${kind}`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    });
  }

  // Everything that people can do.
  composer(document, give, tell, () => cursor.at);
  patterns(document);
  const draft = drafting(document, find("form[data-notation]", HTMLFormElement), data.room.name, (text) => announcer.say(text));
  policies(document, tell, () => cursor.at);
  const budget = new Budget(document, () => void lanes.ask(), tell, () => cursor.at);
  sentences(document);
  menus(document);
  copy(document, tell);
  const lines = curl(document);

  document.addEventListener("click", (e) => {
    const link = e.target instanceof Element ? e.target.closest("[data-inspect]") : null;
    if (!(link instanceof HTMLAnchorElement) || e.ctrlKey || e.metaKey || e.shiftKey) return;
    e.preventDefault();
    choose(Number(link.dataset.inspect));
    // Who came by keyboard reads on in the panel.
    if (e.detail === 0 && !inspector.panel.contains(link)) inspector.panel.focus({ preventScroll: true });
  });

  /** Goes some requests on from the chosen one, or back from the end.
   * @param {number} by */
  function go(by) {
    const last = store.tail - 1;
    if (last < store.head) return;
    const slot = inspector.number < 0 ? last + 1 : store.slotOf(inspector.number);
    choose(store.numberOf(Math.min(last, Math.max(store.head, slot + by))));
    timeline.uncover();
  }

  pick.addEventListener("keydown", (e) => {
    /** @type {Record<string, number>} */
    const by = {
      ArrowLeft: -1,
      ArrowDown: -1,
      ArrowRight: 1,
      ArrowUp: 1,
      PageDown: -10,
      PageUp: 10,
      Home: -Infinity,
      End: Infinity,
    };
    if (!(e.key in by) || e.shiftKey || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    go(by[e.key]);
  });

  /** Goes on, and says where to. @param {number} by */
  const goAndSay = (by) => {
    go(by);
    if (inspector.number >= 0) announcer.say(timeline.describe(inspector.number));
  };
  keys(document, {
    one: () => press(document.querySelector('[data-send="one"]')),
    step: () => (cursor.at < 0 ? press(document.querySelector('[data-step="100ms"]')) : cursor.forward()),
    back: () => cursor.back(),
    earlier: () => goAndSay(-1),
    later: () => goAndSay(1),
    brush: () => span.mark(inspector.number >= 0 ? store.time(store.slotOf(inspector.number)) : cursor.at < 0 ? store.last.now : cursor.at),
    in: () => timeline.zoom(-1),
    out: () => timeline.zoom(1),
    earlierPart: () => move(-0.25),
    laterPart: () => move(0.25),
    all: () => {
      timeline.zoomTo(wholeSpan(store.last.now));
      setFollow(true);
    },
    follow: () => {
      if (timeline.selecting || span.chosen || span.begun >= 0) {
        select(false);
        span.close();
        return;
      }
      cursor.go(Infinity, cursor.at >= 0);
      choose(-1);
      setFollow(true);
    },
    differ: () => differ(1),
    differed: () => differ(-1),
    draw: () => draft.toggle(),
    help: () => help.showModal(),
  });

  /** Goes to the next request on which the policies differ, or to the one before;
   * from none chosen, to the first or the newest. @param {1 | -1} by */
  function differ(by) {
    const chosen = inspector.number < 0 ? -1 : store.slotOf(inspector.number);
    const from = by > 0 ? store.head - 1 : store.tail;
    const slot = store.nextDiffering(chosen < 0 ? from : chosen, by);
    if (slot < 0) {
      announcer.say(by > 0 ? "The policies agree on all later requests." : "The policies agree on all earlier requests.");
      return;
    }
    choose(store.numberOf(slot));
    timeline.uncover();
    announcer.say(timeline.describe(store.numberOf(slot)));
  }
  for (const button of document.querySelectorAll("[data-differ]")) {
    button.addEventListener("click", () => differ(button.getAttribute("data-differ") === "later" ? 1 : -1));
  }
  const help = find("[data-help]", HTMLDialogElement);
  find("[data-help-button]", HTMLElement).addEventListener("click", () => help.showModal());
  find("[data-help-close]", HTMLElement).addEventListener("click", () => help.close());

  /** @param {boolean} on */
  function setFollow(on) {
    timeline.setFollow(on);
    followButton.setAttribute("aria-pressed", String(on));
  }
  /** Moves the view by a part of its span. @param {number} part */
  function move(part) {
    timeline.panBy(part);
    followButton.setAttribute("aria-pressed", "false");
  }

  const selectButton = find("[data-select]", HTMLButtonElement);
  /** Whether the next drag selects. @param {boolean} on */
  function select(on) {
    timeline.selecting = on;
    selectButton.setAttribute("aria-pressed", String(on));
    timeline.stage.toggleAttribute("data-selecting", on);
  }
  selectButton.addEventListener("click", () => select(!timeline.selecting));
  timeline.stage.addEventListener("brushed", (e) => {
    const { from, to } = /** @type {CustomEvent<{from: number, to: number}>} */ (e).detail;
    if (inspector.number >= 0) choose(-1);
    span.show(from, to);
    select(false);
  });

  followButton.addEventListener("click", () => setFollow(!timeline.follow));
  timeline.stage.addEventListener("follow", () => followButton.setAttribute("aria-pressed", "false"));

  for (const button of document.querySelectorAll("[data-zoom]")) {
    button.addEventListener("click", () => timeline.zoom(button.getAttribute("data-zoom") === "in" ? -1 : 1));
  }
  timeline.stage.addEventListener("zoomed", () => setText(spanWords, spanText(timeline.view.span)));

  document.documentElement.addEventListener("theme", () => {
    timeline.readTheme();
    timeline.measure();
    timeline.draw(timeline.now);
  });
  // A message that nobody waits for still has to be heard.
  window.addEventListener("unhandledrejection", (e) => {
    if (e.reason instanceof Refused) tell(e.reason.message);
  });
  document.querySelector(".skip")?.addEventListener("click", (e) => {
    e.preventDefault();
    pick.focus();
  });
  timeline.measure();
  if (data.looking >= 0) cursor.go(data.looking);
  // A copy that stands still begins where it parts from its original.
  else if (data.paused && comparison.since >= 0 && comparison.since < data.now - timeline.view.span) {
    timeline.now = data.now;
    timeline.pan(Math.max(comparison.since + timeline.view.span / 2, timeline.view.span * 0.97));
  }
  void levels();
}
