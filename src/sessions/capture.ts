/**
 * One stream of a run: its first and last bytes in memory, the rest handed on to be kept.
 *
 * (1) Memory is bounded by what an answer may show, however long the stream is and in however small pieces it comes.
 * (2) A stream that is too long to be shown whole is handed to `spill` from its first byte on, up to the kept maximum;
 *     past that, bytes are only counted.
 * (3) A look begins at 0 or where an earlier look ended, so looks one after the other show everything exactly once.
 */
import { BOUNDS } from '#contracts/limits';
import type { CapturedStream } from '#contracts/run';

export interface CaptureOptions {
  /** What one look at the stream may show. */
  readonly shownBytes: number;
  /** Gets the stream's bytes in order, from the first on, when it is too long to be shown whole. */
  readonly spill: (chunk: Buffer) => void;
  readonly keptBytesMax?: number;
}

export class OutputCapture {
  readonly #shownBytes: number;
  readonly #spill: (chunk: Buffer) => void;
  readonly #keptBytesMax: number;
  /** Oldest first: what the last look has shown, and what comes since; the whole as long as it may have to be spilled. */
  #windows: Window[];
  #totalBytes = 0;
  #valueAt: number | undefined;
  #hasSpilled = false;

  constructor({ shownBytes, spill, keptBytesMax = BOUNDS.keptBytesMax }: CaptureOptions) {
    this.#shownBytes = shownBytes;
    this.#spill = spill;
    this.#keptBytesMax = keptBytesMax;
    this.#windows = [new Window(0, shownBytes)];
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    if (this.#totalBytes + chunk.length > this.#shownBytes) this.#keep(chunk);
    this.#totalBytes += chunk.length;
    for (const window of this.#windows) window.push(chunk);
  }

  /** The value of the last expression begins here. */
  markValue(): void {
    this.#valueAt = this.#totalBytes;
  }

  /** The stream from `offset` on; the next look may begin at what is `totalBytes` now. */
  snapshotSince(offset: number): CapturedStream {
    const window = this.#windows.find(({ start }) => start === offset);
    if (!window) throw new RangeError(`No look at this stream ended at ${offset}`);
    this.#windows = this.#windows.filter((other) => other.start >= offset || (other.start === 0 && !this.#hasSpilled));
    if (this.#windows.at(-1)?.start !== this.#totalBytes)
      this.#windows.push(new Window(this.#totalBytes, this.#shownBytes));
    return {
      ...window.ends(),
      totalBytes: this.#totalBytes - offset,
      droppedBytes: Math.max(0, this.#totalBytes - Math.max(this.#keptBytesMax, offset)),
      valueAt: this.#valueAt === undefined || this.#valueAt < offset ? undefined : this.#valueAt - offset,
    };
  }

  #keep(chunk: Buffer): void {
    if (!this.#hasSpilled) {
      this.#hasSpilled = true;
      // Up to now the first window has held everything.
      const whole = this.#windows[0]?.ends().head;
      if (whole && whole.length > 0) this.#spill(whole.subarray(0, this.#keptBytesMax));
    }
    const room = this.#keptBytesMax - this.#totalBytes;
    if (room > 0) this.#spill(chunk.subarray(0, room));
  }
}

/**
 * The first and the last bytes of a stream from one place on.
 *
 * One buffer, `[ head | tail ]`: it is filled from left to right, and from then on its second part goes round.
 */
class Window {
  readonly start: number;
  readonly #shownBytes: number;
  readonly #headBytes: number;
  #bytes = Buffer.alloc(0);
  #total = 0;

  constructor(start: number, shownBytes: number) {
    this.start = start;
    this.#shownBytes = shownBytes;
    this.#headBytes = Math.ceil(shownBytes / 2);
  }

  push(chunk: Buffer): void {
    const first = chunk.subarray(0, Math.max(0, this.#shownBytes - this.#total));
    this.#reserve(this.#total + first.length);
    first.copy(this.#bytes, Math.min(this.#total, this.#shownBytes));
    this.#total += first.length;
    if (first.length < chunk.length) this.#pushRound(chunk.subarray(first.length));
  }

  /** Copies, since the bytes here go on changing. */
  ends(): { head: Buffer; tail: Buffer } {
    if (this.#total <= this.#shownBytes)
      return { head: Buffer.from(this.#bytes.subarray(0, this.#total)), tail: Buffer.alloc(0) };
    const seam = this.#placeOf(this.#total);
    return {
      head: Buffer.from(this.#bytes.subarray(0, this.#headBytes)),
      tail: Buffer.concat([this.#bytes.subarray(seam), this.#bytes.subarray(this.#headBytes, seam)]),
    };
  }

  #pushRound(bytes: Buffer): void {
    const tailBytes = this.#shownBytes - this.#headBytes;
    const skipped = Math.max(0, bytes.length - tailBytes);
    this.#total += skipped;
    if (tailBytes === 0) return;
    for (let rest = bytes.subarray(skipped); rest.length > 0; ) {
      const copied = rest.copy(this.#bytes, this.#placeOf(this.#total));
      this.#total += copied;
      rest = rest.subarray(copied);
    }
  }

  /** Where the byte at this offset stands, past the head. */
  #placeOf(offset: number): number {
    return this.#headBytes + ((offset - this.#headBytes) % Math.max(1, this.#shownBytes - this.#headBytes));
  }

  #reserve(needed: number): void {
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.min(this.#shownBytes, Math.max(needed, this.#bytes.length * 2)));
    this.#bytes.copy(grown);
    this.#bytes = grown;
  }
}
