/** Work that nobody waits for: a few pieces at a time, each key once at a time. */
export class Background {
  readonly #atOnceMax: number;
  readonly #waiting = new Map<string, () => Promise<void>>();
  readonly #running = new Map<string, Promise<void>>();
  #isClosed = false;

  constructor(atOnceMax: number) {
    this.#atOnceMax = atOnceMax;
  }

  has(key: string): boolean {
    return this.#running.has(key) || this.#waiting.has(key);
  }

  /** `work` deals with its own failures. */
  add(key: string, work: () => Promise<void>): void {
    if (this.#isClosed || this.has(key)) return;
    this.#waiting.set(key, work);
    this.#next();
  }

  /** Resolves when there is nothing left to do. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waiting.clear();
    await this.settled();
  }

  #next(): void {
    const [entry] = this.#waiting;
    if (!entry || this.#running.size >= this.#atOnceMax) return;
    const [key, work] = entry;
    this.#waiting.delete(key);
    const running = work().finally(() => {
      this.#running.delete(key);
      this.#next();
    });
    this.#running.set(key, running);
    this.#next();
  }
}
