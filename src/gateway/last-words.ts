/** What a server said last, and how it failed, kept on disk: whoever looks for the reason runs in another process. */
import { join } from 'node:path';
import { z } from 'zod';
import type { Logger } from '#observability/logger';
import { readJson, writeJson } from './kept-json.ts';

const wordsSchema = z.object({
  at: z.string(),
  /** Why it could not be used; absent when it ended in peace. */
  error: z.string().optional(),
  /** The end of what it printed beside its messages. */
  stderr: z.string(),
});

export type Words = z.infer<typeof wordsSchema>;

/** Enough to see what went wrong. */
const STDERR_CHARS = 8_000;

export class LastWords {
  readonly #folder: string;
  readonly #clean: (text: string) => string;
  readonly #logger: Logger;

  /** `clean` takes secrets out before anything is written. */
  constructor(stateDir: string, clean: (text: string) => string, logger: Logger) {
    this.#folder = join(stateDir, 'cache', 'last-words');
    this.#clean = clean;
    this.#logger = logger;
  }

  async read(fingerprint: string): Promise<Words | undefined> {
    return wordsSchema.safeParse(await readJson(this.#fileOf(fingerprint))).data;
  }

  async keep(fingerprint: string, error: string | undefined, stderr: string): Promise<void> {
    const words: Words = {
      at: new Date().toISOString(),
      ...(error !== undefined && { error: this.#clean(error) }),
      stderr: this.#clean(stderr).slice(-STDERR_CHARS),
    };
    try {
      await writeJson(this.#fileOf(fingerprint), words);
    } catch (cause) {
      this.#logger.debug('Cannot keep the last words of a server', { cause });
    }
  }

  #fileOf(fingerprint: string): string {
    return join(this.#folder, `${fingerprint}.json`);
  }
}
