// What stands in a story's page in the place of the connection to a room.

import { Refused } from "./socket.js";

export class Still {
  /** Nothing is missing in a story. */
  resume() {}

  /** @returns {Promise<void>} */
  command() {
    return Promise.reject(new Refused("This is a story of the page. There is no lab behind it."));
  }
}
