// The table of decisions: the time line's twin in words, renewed twice a second
// at most, and not while somebody reads in it by keyboard.

import { clock, count, names, span, words } from "./format.js";

/** @typedef {import("./store.js").Store} Store */

const pause = 500;
const svg = "http://www.w3.org/2000/svg";

export class Decisions {
  /** @param {Document} page @param {string} address of a request, without its number */
  constructor(page, address) {
    this.page = page;
    this.address = address;
    this.drawn = -Infinity;
    this.stale = false;
    this.none = page.createElement("tr");
    this.none.className = "none";
    this.none.append(cell("No request yet. Each one that is sent gets a row here."));
  }

  /** @param {Store} store @param {number} ms
   * @returns {boolean} whether it is still out of date */
  draw(store, ms) {
    this.stale ||= store.dirty.requests;
    if (!this.stale || ms - this.drawn < pause) return this.stale;
    const body = this.page.querySelector("[data-decisions]");
    if (!body || body.contains(this.page.activeElement)) return false;
    this.drawn = ms;
    this.stale = false;
    body.replaceChildren(...store.recent.toReversed().map((r) => this.#row(store, r)));
    if (store.recent.length > 0) return false;
    this.none.cells[0].colSpan = 4;
    body.append(this.none);
    return false;
  }

  /** @param {Store} store @param {import("./store.js").Recent} r */
  #row(store, r) {
    const row = document.createElement("tr");
    const head = document.createElement("th");
    head.scope = "row";
    const link = document.createElement("a");
    link.href = this.address + r.number;
    link.dataset.inspect = String(r.number);
    link.textContent = String(r.number);
    head.append(link);
    row.append(head, cell(clock(r.at)), cell(r.key), cell(count(r.cost)));
    store.lanes.forEach((_, lane) => {
      const letter = store.letter(r.slot, lane);
      const td = cell("");
      if (names[letter]) {
        td.className = names[letter];
        td.append(mark(names[letter]), letter === "d" ? `+${span(store.waitOf(r.slot, lane))}` : words[letter]);
      }
      row.append(td);
    });
    return row;
  }
}

/** @param {string} text */
function cell(text) {
  const td = document.createElement("td");
  td.textContent = text;
  return td;
}

/** @param {string} verdict */
function mark(verdict) {
  const e = document.createElementNS(svg, "svg");
  e.setAttribute("class", `mark ${verdict}`);
  e.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(svg, "use");
  use.setAttribute("href", `#mark-${verdict}`);
  e.append(use);
  return e;
}
