/** What a probe found. A failed one is asked again after a while: somebody may have followed its advice. */
import type { BackendReport } from './backend.ts';

export class KeptReport {
  readonly #probe: () => Promise<BackendReport>;
  readonly #failureKeptMs: number;
  #last: { readonly answer: Promise<BackendReport>; readonly at: number } | undefined;

  constructor(probe: () => Promise<BackendReport>, failureKeptMs: number) {
    this.#probe = probe;
    this.#failureKeptMs = failureKeptMs;
  }

  async get(): Promise<BackendReport> {
    if (this.#last && performance.now() - this.#last.at > this.#failureKeptMs && !(await this.#last.answer).works) {
      this.#last = undefined;
    }
    this.#last ??= { answer: this.#probe(), at: performance.now() };
    return this.#last.answer;
  }
}
