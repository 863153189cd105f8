/**
 * Finds where a run's output ends in a stream that knows no runs.
 *
 * Only the end of the bytes that could be the beginning of the nonce is held back, so live output is not delayed.
 */

export interface MarkerSink {
  data(bytes: Buffer): void;
  /** The value of the last expression begins here. */
  value(): void;
  /** The run's output ends here; `rest` came behind it. */
  end(rest: Buffer): void;
}

const VALUE = 0x56; // V
const END = 0x45; // E

export class MarkerScanner {
  readonly #nonce: Buffer;
  readonly #sink: MarkerSink;
  #held: Buffer = Buffer.alloc(0);

  constructor(nonce: string, sink: MarkerSink) {
    this.#nonce = Buffer.from(nonce);
    this.#sink = sink;
  }

  push(chunk: Buffer): void {
    let bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = Buffer.alloc(0);
    for (;;) {
      const at = bytes.indexOf(this.#nonce);
      const kindAt = at + this.#nonce.length;
      if (at === -1 || kindAt >= bytes.length) return this.#hold(bytes);

      if (at > 0) this.#sink.data(bytes.subarray(0, at));
      const kind = bytes[kindAt];
      bytes = bytes.subarray(kindAt + 1);
      if (kind === END) return this.#sink.end(bytes);
      if (kind === VALUE) this.#sink.value();
    }
  }

  /** What is still held back, when the stream ended without a marker. */
  flush(): void {
    if (this.#held.length > 0) this.#sink.data(this.#held);
    this.#held = Buffer.alloc(0);
  }

  #hold(bytes: Buffer): void {
    const from = possibleStart(bytes, this.#nonce);
    if (from > 0) this.#sink.data(bytes.subarray(0, from));
    // A copy: a few bytes must not keep a whole chunk alive.
    this.#held = Buffer.from(bytes.subarray(from));
  }
}

/** Where the nonce may begin at the end of the bytes. */
function possibleStart(bytes: Buffer, nonce: Buffer): number {
  const first = nonce[0] as number;
  let at = bytes.indexOf(first, Math.max(0, bytes.length - nonce.length));
  while (at !== -1) {
    const rest = bytes.subarray(at);
    if (nonce.subarray(0, rest.length).equals(rest)) return at;
    at = bytes.indexOf(first, at + 1);
  }
  return bytes.length;
}
