/** The time that a run has. It stands still while a person is asked something that the run waits for. */

export class RunClock {
  #leftMs = 0;
  #startedAt = 0;
  #onLate: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #holds = 0;

  /** Told once, when the time is over. */
  start(timeMs: number, onLate: () => void): void {
    this.#leftMs = timeMs;
    this.#onLate = onLate;
    if (this.#holds === 0) this.#go();
  }

  stop(): void {
    this.#onLate = undefined;
    clearTimeout(this.#timer);
  }

  get isHeld(): boolean {
    return this.#holds > 0;
  }

  /** Stands still until it is disposed of, and until all others are who hold it. */
  hold(): Disposable {
    this.#holds += 1;
    if (this.#holds === 1) {
      clearTimeout(this.#timer);
      this.#leftMs -= performance.now() - this.#startedAt;
    }
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#holds -= 1;
        if (this.#holds === 0) this.#go();
      },
    };
  }

  #go(): void {
    this.#startedAt = performance.now();
    const late = this.#onLate;
    if (late) this.#timer = setTimeout(late, Math.max(0, this.#leftMs));
  }
}
