// The dialect in which responses tell their quota: the same from request to
// request, and on the next visit.

const kept = "burstlab-dialect";

/** @param {string} fallback @param {string[]} known
 * @returns {string} the dialect that was chosen before */
export function remembered(fallback, known) {
  try {
    const word = localStorage.getItem(kept) ?? "";
    return known.includes(word) ? word : fallback;
  } catch {
    return fallback;
  }
}

/** @param {string} dialect */
export function remember(dialect) {
  try {
    localStorage.setItem(kept, dialect);
  } catch {
    // Without storage the choice lasts until the page is left.
  }
}

/** What a person reads of an element in a dialect: parts that belong to others
 * are left out.
 * @param {{childNodes: Iterable<{textContent: string | null, dataset?: {in?: string}}>}} element
 * @param {string} dialect */
export function textIn(element, dialect) {
  let text = "";
  for (const part of element.childNodes) {
    const only = part.dataset?.in;
    if (only === undefined || only.split(" ").includes(dialect)) text += part.textContent ?? "";
  }
  return text;
}
