/**
 * Sandboxes that are up before anybody asks: one per interpreter, each with that interpreter ready in it.
 *
 * A new session takes the one for its first language and costs almost nothing; the place is filled again in the
 * background, one at a time, so that a burst of new sessions is not slowed down by its own replacements.
 */
import { BOUNDS } from '#contracts/limits';
import type { Logger } from '#observability/logger';
import type { InterpreterId, Sandbox } from '#sandbox/backend';
import type { SessionHome } from './home.ts';
import { Interpreter } from './interpreter.ts';

export interface WarmPlace {
  readonly home: SessionHome;
  readonly sandbox: Sandbox;
  readonly interpreter: Interpreter;
}

export interface PoolParts {
  readonly openHome: () => Promise<SessionHome>;
  readonly removeHome: (home: SessionHome) => Promise<void>;
  readonly openSandbox: (home: SessionHome) => Promise<Sandbox>;
  readonly logger: Logger;
}

/** Time without a new session before a place is filled again. */
const REFILL_AFTER_MS = 20;
/** After a failure; the next session will say what is wrong, this only keeps the log quiet. */
const RETRY_AFTER_MS = 5_000;

export class WarmPool {
  readonly #parts: PoolParts;
  readonly #wanted: readonly InterpreterId[];
  readonly #places = new Map<InterpreterId, WarmPlace>();
  #timer: NodeJS.Timeout | undefined;
  #filling: Promise<void> | undefined;
  #isClosed = false;

  /** Keeps one place for each of `wanted`. */
  constructor(wanted: readonly InterpreterId[], parts: PoolParts) {
    this.#wanted = wanted;
    this.#parts = parts;
  }

  /** Begins to fill the places, in the background. */
  warm(): void {
    this.#schedule(0);
  }

  /** A warm place, if there is one. The taker owns it from then on. */
  take(interpreter: InterpreterId): WarmPlace | undefined {
    const place = this.#places.get(interpreter);
    if (!place || place.interpreter.isGone) return undefined;
    this.#places.delete(interpreter);
    this.#schedule(REFILL_AFTER_MS);
    return place;
  }

  /** Resolves when every place is filled or has failed: for benchmarks and tests. */
  async settled(): Promise<void> {
    while (this.#timer !== undefined || this.#filling !== undefined) {
      await (this.#filling ?? new Promise((resolve) => setTimeout(resolve, REFILL_AFTER_MS)));
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#filling;
    await Promise.all([...this.#places.values()].map((place) => this.#discard(place)));
    this.#places.clear();
  }

  #schedule(afterMs: number): void {
    if (this.#isClosed || this.#wanted.length === 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#filling ??= this.#fill().finally(() => {
        this.#filling = undefined;
      });
    }, afterMs);
    this.#timer.unref();
  }

  async #fill(): Promise<void> {
    for (const id of this.#wanted) {
      const place = this.#places.get(id);
      if (this.#isClosed || (place && !place.interpreter.isGone)) continue;
      try {
        if (place) await this.#discard(place);
        this.#places.set(id, await this.#open(id));
      } catch (error) {
        this.#parts.logger.debug('Cannot keep a sandbox warm', { interpreter: id, cause: error });
        this.#schedule(RETRY_AFTER_MS);
        return;
      }
    }
  }

  async #open(id: InterpreterId): Promise<WarmPlace> {
    const home = await this.#parts.openHome();
    let sandbox: Sandbox | undefined;
    try {
      sandbox = await this.#parts.openSandbox(home);
      const interpreter = new Interpreter(await sandbox.start(id));
      // Loads what every first program needs.
      await interpreter.check({ language: id, code: '1' }, BOUNDS.checkMs);
      return { home, sandbox, interpreter };
    } catch (error) {
      await sandbox?.kill();
      await this.#parts.removeHome(home);
      throw error;
    }
  }

  async #discard(place: WarmPlace): Promise<void> {
    await place.sandbox.kill();
    await this.#parts.removeHome(place.home);
  }
}
