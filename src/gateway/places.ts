/** The calls that one upstream works on at a time, and those that wait for their turn, in order. */

export class Places {
  readonly #placesMax: number;
  readonly #queueMax: number;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(placesMax: number, queueMax: number) {
    this.#placesMax = placesMax;
    this.#queueMax = queueMax;
  }

  get isEmpty(): boolean {
    return this.#taken === 0;
  }

  /** Nobody more may wait. */
  get isFull(): boolean {
    return this.#waiting.size >= this.#queueMax;
  }

  /** Takes a place if there is one at once. Whoever takes one gives it back. */
  tryTake(): boolean {
    if (this.#taken >= this.#placesMax) return false;
    this.#taken += 1;
    return true;
  }

  /** Resolves when it is the caller's turn; rejects with the signal's reason. */
  take(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onTurn = () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    };
    const onAbort = () => {
      this.#waiting.delete(onTurn);
      reject(signal.reason);
    };
    if (signal.aborted) onAbort();
    else {
      this.#waiting.add(onTurn);
      signal.addEventListener('abort', onAbort, { once: true });
    }
    return promise;
  }

  giveBack(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#taken -= 1;
      return;
    }
    this.#waiting.delete(next);
    next(); // the place goes from hand to hand
  }
}
