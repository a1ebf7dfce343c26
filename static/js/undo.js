// Undo and redo of a text.

/** What was written before and after, for undo and redo. */
export class Past {
  /** @param {string} text @param {number} [size] */
  constructor(text, size = 200) {
    this.texts = [text];
    this.at = 0;
    this.size = size;
  }

  get text() {
    return this.texts[this.at];
  }

  get undoable() {
    return this.at > 0;
  }

  get redoable() {
    return this.at < this.texts.length - 1;
  }

  /** Notes a text. With again it takes the place of the newest one, as while one
   * goes on typing.
   * @param {string} text @param {boolean} [again] */
  note(text, again = false) {
    if (text === this.text) return;
    const keep = this.at + (again && this.at > 0 && !this.redoable ? 0 : 1);
    this.texts = [...this.texts.slice(0, keep), text].slice(-this.size);
    this.at = this.texts.length - 1;
  }

  undo() {
    if (this.undoable) this.at--;
    return this.text;
  }

  redo() {
    if (this.redoable) this.at++;
    return this.text;
  }
}
