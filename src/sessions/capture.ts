/**
 * One stream of a run: its first and last bytes in memory, the rest handed on to be kept.
 *
 * Memory per stream is bounded by what an answer may show, however long the stream is. Everything from the first byte
 * is handed to `spill` once the stream is longer than that, up to the kept maximum; past it bytes are only counted.
 */
import { BOUNDS } from '#contracts/limits';
import type { CapturedStream } from '#contracts/run';

export interface CaptureOptions {
  /** What one look at the stream may show. */
  readonly shownBytes: number;
  /** Gets the stream's bytes in order, from the first on, when it is too long to be shown whole. */
  readonly spill: (chunk: Buffer) => void;
}

export class OutputCapture {
  readonly #shownBytes: number;
  readonly #spill: (chunk: Buffer) => void;
  /** The last bytes, at least `#shownBytes` of them when there are so many; the first stands at `#windowAt`. */
  #window: Buffer[] = [];
  #windowAt = 0;
  #windowBytes = 0;
  /** The stream's beginning. */
  #head: Buffer[] = [];
  #headBytes = 0;
  #totalBytes = 0;
  #valueAt: number | undefined;
  #hasSpilled = false;

  constructor({ shownBytes, spill }: CaptureOptions) {
    this.#shownBytes = shownBytes;
    this.#spill = spill;
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    const before = this.#totalBytes;
    this.#totalBytes += chunk.length;
    this.#pushHead(chunk);
    this.#pushWindow(chunk);
    if (this.#totalBytes > this.#shownBytes) this.#keep(chunk, before);
  }

  /** The value of the last expression begins here. */
  markValue(): void {
    this.#valueAt = this.#totalBytes;
  }

  /** The stream from `offset` on. */
  snapshotSince(offset: number): CapturedStream {
    const totalBytes = this.#totalBytes - offset;
    const droppedBytes = Math.max(0, this.#totalBytes - Math.max(BOUNDS.keptBytesMax, offset));
    const valueAt = this.#valueAt === undefined || this.#valueAt < offset ? undefined : this.#valueAt - offset;
    if (totalBytes <= this.#shownBytes) return { head: this.#slice(offset, totalBytes), tail: Buffer.alloc(0), totalBytes, droppedBytes, valueAt };
    const half = Math.floor(this.#shownBytes / 2);
    return { head: this.#slice(offset, half), tail: this.#slice(this.#totalBytes - half, half), totalBytes, droppedBytes, valueAt };
  }

  /** Bytes that are still in memory: of the beginning or of the end. A look in the middle of a long stream gets what is left of it. */
  #slice(from: number, length: number): Buffer {
    const [parts, at] = from + length <= this.#headBytes ? [this.#head, 0] : [this.#window, this.#windowAt];
    const start = Math.max(0, from - at);
    return Buffer.concat(parts).subarray(start, start + length);
  }

  #pushHead(chunk: Buffer): void {
    const room = this.#shownBytes - this.#headBytes;
    if (room <= 0) return;
    const part = chunk.subarray(0, room);
    this.#head.push(part);
    this.#headBytes += part.length;
  }

  #pushWindow(chunk: Buffer): void {
    this.#window.push(chunk);
    this.#windowBytes += chunk.length;
    while (this.#window.length > 1 && this.#windowBytes - (this.#window[0] as Buffer).length >= this.#shownBytes) {
      const gone = this.#window.shift() as Buffer;
      this.#windowBytes -= gone.length;
      this.#windowAt += gone.length;
    }
  }

  #keep(chunk: Buffer, before: number): void {
    if (!this.#hasSpilled) {
      this.#hasSpilled = true;
      // Up to now everything was in memory.
      this.#spill(this.#slice(0, before));
    }
    const room = BOUNDS.keptBytesMax - before;
    if (room > 0) this.#spill(chunk.subarray(0, room));
  }
}
