// Posts a form as a page without script would, and asks for the answer in short.

/** What was wrong: in which field, if in a single one.
 * @typedef {{field?: string, message: string}} Wrong */

/** Resolves to null when it was done. What was done in a copy of the room leads
 * there.
 * @param {string} address
 * @param {URLSearchParams} body
 * @returns {Promise<Wrong | null>} */
export async function post(address, body) {
  const answer = await fetch(address, { method: "POST", body, headers: { Accept: "application/json" } }).catch(() => null);
  if (!answer) return { message: "The server cannot be reached just now. Try again in a moment." };
  if (answer.status === 201) {
    location.assign((await answer.json()).address);
    return null;
  }
  if (answer.ok) return null;
  const said = await answer.json().catch(() => null);
  return { field: said?.field, message: said?.detail || said?.title || `The server answered ${answer.status}.` };
}
