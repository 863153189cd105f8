const WORDS_LINES = 4;
const WORDS_CHARS_MAX = 600;

/** The last bytes of a stream that nobody reads to its end: enough to say why a server failed, never more. */
export class Tail {
  readonly #bytesMax: number;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  add(chunk: Buffer): void {
    const end = chunk.length > this.#bytesMax ? chunk.subarray(chunk.length - this.#bytesMax) : chunk;
    this.#chunks.push(end);
    this.#bytes += end.length;
    while (this.#bytes - (this.#chunks[0]?.length ?? 0) >= this.#bytesMax) {
      this.#bytes -= this.#chunks.shift()?.length ?? 0;
    }
  }

  /** For a new process: what the last one said explains nothing that this one does. */
  clear(): void {
    this.#chunks = [];
    this.#bytes = 0;
  }

  text(): string {
    return Buffer.concat(this.#chunks).subarray(-this.#bytesMax).toString('utf8');
  }

  /** The last lines that say something, on one line, as the end of an error message; empty when there are none. */
  words(): string {
    const lines = this.text()
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
    return lines.length === 0 ? '' : `: ${lines.slice(-WORDS_LINES).join(' | ').slice(-WORDS_CHARS_MAX)}`;
  }
}
