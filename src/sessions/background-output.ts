/** What processes that an earlier run left behind print while no run is going on: its end is told with the next run. */
const TOLD_BYTES_MAX = 2_000;

export class BackgroundOutput {
  #tail = Buffer.alloc(0);
  #totalBytes = 0;

  push(_stream: 'stdout' | 'stderr', bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#totalBytes += bytes.length;
    this.#tail = Buffer.concat([this.#tail, bytes.subarray(-TOLD_BYTES_MAX)]).subarray(-TOLD_BYTES_MAX);
  }

  /** A sentence about it, once; undefined when there was nothing. */
  take(): string | undefined {
    if (this.#totalBytes === 0) return undefined;
    const cut =
      this.#totalBytes > this.#tail.length ? ` (the last ${this.#tail.length} of ${this.#totalBytes} bytes)` : '';
    const text = `printed in the background since the last run${cut}: ${this.#tail.toString('utf8').trimEnd()}`;
    this.#tail = Buffer.alloc(0);
    this.#totalBytes = 0;
    return text;
  }
}
