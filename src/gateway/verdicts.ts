/**
 * How each upstream turned out to speak, kept on disk so that the next start need not ask.
 *
 * Asking costs a round trip, and a second start with servers that die of a question they do not know. A verdict is
 * forgotten after a day: a server that learns the newer protocol would otherwise never be noticed.
 */
import { join } from 'node:path';
import { z } from 'zod';
import type { Logger } from '#observability/logger';
import { readJson, writeJson } from './kept-json.ts';

const verdictSchema = z.object({
  era: z.enum(['legacy', 'modern']),
  transport: z.enum(['stdio', 'http', 'sse']),
  at: z.number(),
});
const fileSchema = z.record(z.string(), verdictSchema);

export type Verdict = Omit<z.infer<typeof verdictSchema>, 'at'>;

const KEPT_MS = 24 * 60 * 60_000;

export class Verdicts {
  readonly #file: string;
  readonly #logger: Logger;
  #kept: Promise<Map<string, z.infer<typeof verdictSchema>>> | undefined;

  constructor(stateDir: string, logger: Logger) {
    this.#file = join(stateDir, 'cache', 'upstreams.json');
    this.#logger = logger;
  }

  async get(fingerprint: string): Promise<Verdict | undefined> {
    const known = (await this.#load()).get(fingerprint);
    return known !== undefined && isFresh(known) ? known : undefined;
  }

  async set(fingerprint: string, verdict: Verdict): Promise<void> {
    const kept = await this.#load();
    const known = kept.get(fingerprint);
    if (known !== undefined && isFresh(known) && known.era === verdict.era && known.transport === verdict.transport)
      return;
    kept.set(fingerprint, { ...verdict, at: Date.now() });
    await this.#save(kept);
  }

  async forget(fingerprint: string): Promise<void> {
    const kept = await this.#load();
    if (kept.delete(fingerprint)) await this.#save(kept);
  }

  #load() {
    this.#kept ??= readJson(this.#file).then((value) => {
      const parsed = fileSchema.safeParse(value);
      return new Map(Object.entries(parsed.data ?? {}).filter(([, verdict]) => isFresh(verdict)));
    });
    return this.#kept;
  }

  async #save(kept: ReadonlyMap<string, unknown>): Promise<void> {
    try {
      await writeJson(this.#file, Object.fromEntries(kept));
    } catch (cause) {
      this.#logger.debug('Cannot keep how upstream servers speak', { file: this.#file, cause });
    }
  }
}

function isFresh({ at }: { readonly at: number }): boolean {
  return Date.now() - at < KEPT_MS;
}
