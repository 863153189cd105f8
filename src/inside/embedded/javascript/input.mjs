/** Standard input of a run: what it was given, then the end. */
import { Readable } from 'node:stream';

const NOTHING = Buffer.alloc(0);

export class Input {
  #bytes = NOTHING;
  #stream;

  /** @param {string | undefined} text */
  reset(text) {
    this.#stream?.destroy();
    this.#stream = undefined;
    this.#bytes = Buffer.from(text ?? '');
  }

  /** `process.stdin`. */
  get stream() {
    this.#stream ??= this.#open();
    return this.#stream;
  }

  /** All that has not been read yet. @param {string | undefined} encoding */
  readAll(encoding) {
    const bytes = this.#bytes;
    this.#bytes = NOTHING;
    return encoding && encoding !== 'buffer' ? bytes.toString(encoding) : bytes;
  }

  readInto(buffer, offset, length) {
    const count = Math.min(length, this.#bytes.length);
    new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength).set(this.#bytes.subarray(0, count), offset);
    this.#bytes = this.#bytes.subarray(count);
    return count;
  }

  #open() {
    const input = this;
    const stream = new Readable({
      read() {
        const bytes = input.readAll();
        if (bytes.length > 0) this.push(bytes);
        this.push(null);
      },
    });
    return Object.assign(stream, { fd: 0, ref: () => stream, unref: () => stream });
  }
}
