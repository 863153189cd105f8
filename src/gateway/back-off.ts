/** How long a server that fails again and again is left alone: the first failure is free, then 1 s, 2 s, 4 s … 60 s. */

const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;

export class BackOff {
  #failures = 0;
  #until = 0;

  failed(now: number): void {
    this.#failures += 1;
    this.#until = this.#failures === 1 ? now : now + Math.min(FIRST_MS * 2 ** (this.#failures - 2), LONGEST_MS);
  }

  /** It did what it was asked to. */
  worked(): void {
    this.#failures = 0;
    this.#until = 0;
  }

  /** 0 when it may be tried. */
  waitMs(now: number): number {
    return Math.max(0, this.#until - now);
  }
}
