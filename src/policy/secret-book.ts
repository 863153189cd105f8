/** All secrets that are known at the moment, by where they come from, and the mask that takes them out. */
import { type KnownSecret, Mask } from './redact.ts';

export class SecretBook {
  readonly #bySource = new Map<string, readonly KnownSecret[]>();
  #mask: Mask | undefined;
  #isStale = false;

  /** What one source knows, in place of what it knew before. */
  note(source: string, secrets: readonly KnownSecret[]): void {
    this.#bySource.set(source, secrets);
    this.#isStale = true;
  }

  /** Undefined when no secret is known: then there is nothing to do and nothing to pay. */
  get mask(): Mask | undefined {
    if (this.#isStale) this.#mask = Mask.of([...this.#bySource.values()].flat());
    this.#isStale = false;
    return this.#mask;
  }

  clean(text: string): string {
    return this.mask?.text(text) ?? text;
  }
}
