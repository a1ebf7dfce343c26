// The few things that the page writes by itself. Everything else comes from the
// server as text.

/** What the page calls the verdicts, by their letters on the wire.
 * @type {Record<string, string>} */
export const words = { a: "passed", d: "delayed", r: "refused", n: "never" };

/** The verdicts' names in class names and marks.
 * @type {Record<string, string>} */
export const names = { a: "allow", d: "delay", r: "refuse", n: "never" };

/** Lab time as a clock: minutes, seconds, milliseconds.
 * @param {number} us microseconds */
export function clock(us) {
  const sign = us < 0 ? "−" : "";
  const ms = Math.floor(Math.abs(us) / 1000);
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  const h = Math.floor(ms / 3_600_000);
  const m = two(Math.floor(ms / 60_000) % 60);
  const s = `${two(Math.floor(ms / 1000) % 60)}.${String(ms % 1000).padStart(3, "0")}`;
  return h > 0 ? `${sign}${h}:${m}:${s}` : `${sign}${m}:${s}`;
}

/** A wait, as views.Span writes it on the server: whole milliseconds under a
 * second, milliseconds under ten seconds, then coarser. Rounded up. Both are
 * tested on the same table, views/testdata/spans.json.
 * @param {number} us microseconds */
export function span(us) {
  if (us > 0 && us < 1000) return `${Math.ceil(us)}\u00a0µs`;
  const ms = Math.ceil(us / 1000);
  if (ms < 1000) return `${ms}\u00a0ms`;
  if (ms < 10_000) return `${+(ms / 1000).toFixed(3)}\u00a0s`;
  const tenths = Math.ceil(ms / 100);
  if (ms < 60_000) return `${tenths / 10}\u00a0s`;
  const s = Math.ceil(us / 1_000_000);
  if (s < 3600) return parts(s, 60, "min", "s");
  const m = Math.ceil(s / 60);
  if (s < 86_400) return parts(m, 60, "h", "min");
  return parts(Math.ceil(s / 3600), 24, "d", "h");
}

/** @param {number} n @param {number} unit how many small ones make a large one
 * @param {string} large @param {string} small */
function parts(n, unit, large, small) {
  const rest = n % unit;
  const whole = `${count((n - rest) / unit)}\u00a0${large}`;
  return rest === 0 ? whole : `${whole} ${rest}\u00a0${small}`;
}

/** A number with its thousands apart.
 * @param {number} n */
export function count(n) {
  return n.toLocaleString("en-US");
}

/** What the page says of requests that it does not hold.
 * @param {number} n */
export function missed(n) {
  if (n === 0) return "";
  return n === 1 ? "1\u00a0older request is no longer shown" : `${count(n)}\u00a0older requests are no longer shown`;
}

/** Fills the {field} of a command's template from a form, as views.Commands
 * does on the server. A brace that names no field stays.
 * @param {string} template
 * @param {FormData} form */
export function fill(template, form) {
  return template.replace(/\{([^{}]*)\}/g, (all, name) => {
    const value = name === "command" ? null : form.get(name);
    return typeof value === "string" ? value.trim() : all;
  });
}

/** The index in a text of a byte of its UTF-8 form.
 * @param {string} text
 * @param {number} byte */
export function indexOfByte(text, byte) {
  let at = 0;
  let index = 0;
  for (const char of text) {
    if (at >= byte) break;
    const code = /** @type {number} */ (char.codePointAt(0));
    at += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    index += char.length;
  }
  return index;
}

/** A notation with what has to stand before one more pattern.
 * @param {string} text */
export function before(text) {
  const kept = text.replace(/\s+$/, "");
  if (kept === "") return "";
  // Behind a comment only a new line begins a pattern.
  if (kept.slice(kept.lastIndexOf("\n") + 1).includes("#")) return kept + "\n";
  return kept + (kept.endsWith(";") ? " " : "; ");
}
