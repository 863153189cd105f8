/**
 * What tools without an output schema were seen to answer, kept in `<state>/cache/learnt-types`, a file for each server as
 * it is configured. Several processes learn at once: each adds to the file what it has seen since it last did.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LearntShape, mergeShapes, shapeOf } from '#bindings/learnt-shape';
import type { ToolValue } from '#contracts/tool';
import type { Logger } from '#observability/logger';

export interface LearntType {
  readonly schema: LearntShape;
  /** How many answers it is drawn from. */
  readonly seen: number;
}

type Learnt = Map<string, LearntType>;

const KEEP_AFTER_MS = 500;
const TOOLS_MAX = 2_000;

export class LearntTypes {
  readonly #folder: string;
  readonly #logger: Logger;
  /** By the server's fingerprint: what is in its file, as last read, and what is not yet. */
  readonly #known = new Map<string, Promise<Learnt>>();
  readonly #fresh = new Map<string, Learnt>();
  #timer: NodeJS.Timeout | undefined;
  #keeping: Promise<void> = Promise.resolve();

  constructor(stateDir: string, logger: Logger) {
    this.#folder = join(stateDir, 'cache', 'learnt-types');
    this.#logger = logger;
  }

  /** Takes no time that anybody waits for. */
  note(fingerprint: string, tool: string, value: ToolValue): void {
    const plain = plainOf(value);
    if (plain === undefined) return;
    const fresh = this.#fresh.get(fingerprint) ?? new Map<string, LearntType>();
    this.#fresh.set(fingerprint, fresh);
    add(fresh, tool, { schema: shapeOf(plain.value), seen: 1 });
    this.#timer ??= setTimeout(() => this.#keepSoon(), KEEP_AFTER_MS).unref();
  }

  /** By the names of the tools. */
  async of(fingerprint: string): Promise<ReadonlyMap<string, LearntType>> {
    const known = await this.#read(fingerprint);
    const fresh = this.#fresh.get(fingerprint);
    if (!fresh) return known;
    const all = new Map(known);
    for (const [tool, type] of fresh) add(all, tool, type);
    return all;
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#keepSoon();
    await this.#keeping;
  }

  #read(fingerprint: string): Promise<Learnt> {
    const known = this.#known.get(fingerprint) ?? this.#load(fingerprint);
    this.#known.set(fingerprint, known);
    return known;
  }

  async #load(fingerprint: string): Promise<Learnt> {
    try {
      const kept: unknown = JSON.parse(await readFile(this.#fileOf(fingerprint), 'utf8'));
      return new Map(Object.entries(kept as Record<string, LearntType>).filter(([, type]) => isLearnt(type)));
    } catch {
      return new Map(); // never learnt, or not by this version
    }
  }

  #keepSoon(): void {
    this.#timer = undefined;
    this.#keeping = this.#keeping.then(async () => {
      for (const fingerprint of [...this.#fresh.keys()]) await this.#keep(fingerprint);
    });
  }

  async #keep(fingerprint: string): Promise<void> {
    const fresh = this.#fresh.get(fingerprint) ?? new Map<string, LearntType>();
    this.#fresh.delete(fingerprint);
    const all = await this.#load(fingerprint);
    for (const [tool, type] of fresh) add(all, tool, type);
    this.#known.set(fingerprint, Promise.resolve(all));
    const scratch = `${this.#fileOf(fingerprint)}.${process.pid}`;
    try {
      await mkdir(this.#folder, { recursive: true });
      await writeFile(scratch, JSON.stringify(Object.fromEntries(all)), { mode: 0o600 });
      await rename(scratch, this.#fileOf(fingerprint));
    } catch (cause) {
      this.#logger.debug('Cannot keep what was learnt about a server', { cause });
    }
  }

  #fileOf(fingerprint: string): string {
    return join(this.#folder, `${fingerprint}.json`);
  }
}

function add(types: Learnt, tool: string, { schema, seen }: LearntType): void {
  const known = types.get(tool);
  if (known) types.set(tool, { schema: mergeShapes(known.schema, schema), seen: known.seen + seen });
  else if (types.size < TOOLS_MAX) types.set(tool, { schema, seen });
}

/** As a program sees it; undefined for what has no shape to speak of. */
function plainOf(value: ToolValue): { readonly value: unknown } | undefined {
  switch (value.kind) {
    case 'none':
      return { value: null };
    case 'json':
      return { value: value.value };
    case 'text':
      return { value: value.text };
    case 'list':
      return { value: value.items.flatMap((item) => plainOf(item)?.value ?? []) };
    default:
      return undefined;
  }
}

function isLearnt(type: LearntType | undefined): boolean {
  return typeof type?.seen === 'number' && Array.isArray(type.schema?.type);
}
