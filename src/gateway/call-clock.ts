/**
 * The time that one call has, and the signal that ends it: at the caller's word or when the time is over.
 *
 * The clock can stand still: while a person thinks about an upstream's question, no call of that upstream gets older.
 */
import { performance } from 'node:perf_hooks';

export class CallClock implements Disposable {
  readonly #end = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #onCaller = () => this.#end.abort(this.#caller?.reason);
  #leftMs: number;
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #isLate = false;

  constructor(timeMs: number, caller: AbortSignal | undefined) {
    this.#leftMs = timeMs;
    this.#caller = caller;
    if (caller?.aborted) this.#onCaller();
    else caller?.addEventListener('abort', this.#onCaller, { once: true });
    this.resume();
  }

  get signal(): AbortSignal {
    return this.#end.signal;
  }

  get isCancelled(): boolean {
    return this.#caller?.aborted === true;
  }

  get isLate(): boolean {
    return this.#isLate;
  }

  pause(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#leftMs -= performance.now() - this.#startedAt;
  }

  resume(): void {
    if (this.#timer !== undefined || this.#end.signal.aborted) return;
    this.#startedAt = performance.now();
    this.#timer = setTimeout(() => this.#late(), Math.max(0, this.#leftMs));
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#caller?.removeEventListener('abort', this.#onCaller);
  }

  #late(): void {
    this.#isLate = true;
    this.#end.abort(new Error('The time of the call is over'));
  }
}
