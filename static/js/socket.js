// The connection to the room: frames in, commands out. It counts the frames'
// numbers, asks again for what it missed, and comes back after a loss.

/** @typedef {"connecting" | "live" | "lost" | "gone"} Connection */

/** A refused command. */
export class Refused extends Error {
  /** @param {string} message
   * @param {number} [offset] the byte of the command at which the mistake is */
  constructor(message, offset) {
    super(message);
    this.offset = offset;
  }
}

const firstPause = 250;
const longestPause = 5000;
const wentAway = 1001;

export class Socket {
  /**
   * @param {string} address
   * @param {number} seq number of the last frame that is known
   * @param {object} on
   * @param {(m: Extract<Message, {type: "whole" | "frame"}>) => void} on.message
   * @param {(c: Connection) => void} on.connection
   * @param {() => Promise<boolean>} [on.exists] says whether the room is still there
   * @param {object} [world] what the browser gives; tests bring their own
   * @param {new (address: string) => WebSocket} [world.WebSocket]
   * @param {(f: () => void, ms: number) => unknown} [world.setTimeout]
   * @param {() => number} [world.random]
   */
  constructor(address, seq, on, world = {}) {
    this.address = address;
    this.seq = seq;
    this.on = on;
    this.WebSocket = world.WebSocket ?? WebSocket;
    this.setTimeout = world.setTimeout ?? ((f, ms) => setTimeout(f, ms));
    this.random = world.random ?? Math.random;
    this.pause = firstPause;
    this.asked = false;
    this.gone = false;
    this.id = 0;
    /** @type {Map<number, {done: () => void, refused: (e: Refused) => void}>} */
    this.pending = new Map();
    this.#open();
  }

  #open() {
    this.on.connection("connecting");
    const socket = new this.WebSocket(`${this.address}?seq=${this.seq}`);
    this.socket = socket;
    this.asked = false;
    let opened = false;
    socket.onopen = () => {
      opened = true;
      this.pause = firstPause;
      this.on.connection("live");
    };
    socket.onmessage = (e) => this.#receive(JSON.parse(e.data));
    socket.onclose = (e) => this.#lost(e.code === wentAway || !opened);
  }

  /** @param {boolean} doubt whether the room may be gone for good */
  async #lost(doubt) {
    this.on.connection("lost");
    for (const p of this.pending.values()) p.refused(new Refused("The connection was lost before the answer came."));
    this.pending.clear();
    if (doubt && this.on.exists && !(await this.on.exists())) {
      this.gone = true;
      this.on.connection("gone");
      return;
    }
    // The random part keeps a hall of browsers from coming back in one burst.
    this.setTimeout(() => this.#open(), this.pause * (0.75 + this.random() / 2));
    this.pause = Math.min(this.pause * 2, longestPause);
  }

  /** @param {Message} m */
  #receive(m) {
    switch (m.type) {
      case "done":
        this.pending.get(m.id)?.done();
        this.pending.delete(m.id);
        return;
      case "error":
        this.pending.get(m.id)?.refused(new Refused(m.message, m.offset));
        this.pending.delete(m.id);
        return;
      case "whole":
        this.seq = m.seq;
        this.asked = false;
        this.on.message(m);
        return;
      case "frame":
        if (m.seq <= this.seq) return;
        if (m.seq > this.seq + 1) {
          this.resume(this.seq);
          return;
        }
        this.seq = m.seq;
        this.asked = false;
        this.on.message(m);
    }
  }

  /** Asks for what came after a frame; 0 asks for a fresh whole.
   * @param {number} seq */
  resume(seq) {
    if (this.asked) return;
    this.asked = true;
    this.#send({ type: "resume", seq });
  }

  /** Gives a command. The promise is kept when the room has carried it out, and
   * broken with a {@link Refused}.
   * @param {string} text
   * @returns {Promise<void>} */
  command(text) {
    return new Promise((done, refused) => {
      const id = ++this.id;
      this.pending.set(id, { done, refused });
      if (!this.#send({ type: "command", id, text })) {
        this.pending.delete(id);
        refused(new Refused(this.gone ? "This room has ended." : "Not connected just now. The page comes back by itself; try again then."));
      }
    });
  }

  /** @param {object} message */
  #send(message) {
    if (this.socket?.readyState !== 1) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }
}
