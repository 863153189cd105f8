/**
 * What is known of the tools of all servers, on disk and in memory, whether the servers run or not.
 *
 * Memory holds the names of all tools; the rest, which is most of the bytes, only of the servers that were asked about
 * last. A server is known by the fingerprint of its entry, so one that is configured anew starts afresh.
 */
import { join } from 'node:path';
import { BOUNDS } from '#contracts/limits';
import type { Logger } from '#observability/logger';
import type { ListedServer } from './connection.ts';
import { readJson, writeJson } from './kept-json.ts';
import { type ListedTool, textOf } from './tool-list.ts';
import { isFields } from './values.ts';

/** The same object as long as the server says the same. */
export interface Listing {
  readonly about: string | undefined;
  /** By name. */
  readonly tools: ReadonlySet<string>;
}

const VERSION = 1;

export class Catalog {
  readonly #folder: string;
  readonly #logger: Logger;
  readonly #listings = new Map<string, Promise<Listing | undefined>>();
  /** The servers asked about last, at the end. */
  readonly #whole = new Map<string, Promise<ListedServer | undefined>>();
  #newest: string | undefined;
  /** How often something was put here that was not here before. */
  changes = 0;
  /** Those that could not be written, and so cannot be read again. */
  readonly #unwritten = new Map<string, ListedServer>();

  constructor(stateDir: string, logger: Logger) {
    this.#folder = join(stateDir, 'cache', 'catalog');
    this.#logger = logger;
  }

  /** Undefined when the server was never listed. */
  find(fingerprint: string): Promise<Listing | undefined> {
    let listing = this.#listings.get(fingerprint);
    if (!listing) {
      listing = this.#known(fingerprint).then((listed) => listed && listingOf(listed));
      this.#listings.set(fingerprint, listing);
    }
    return listing;
  }

  /** With schemas. Empty when the server was never listed. */
  async tools(fingerprint: string): Promise<readonly ListedTool[]> {
    return (await this.#known(fingerprint))?.tools ?? [];
  }

  /** Keeps what a server says; the same as before changes nothing. */
  async put(fingerprint: string, listed: ListedServer): Promise<void> {
    const before = await this.#known(fingerprint);
    const isSame = before !== undefined && JSON.stringify(before) === JSON.stringify(listed);
    // Another process may have written the file since we looked and found none.
    if (isSame && (await this.#listings.get(fingerprint)) !== undefined) return;
    this.#whole.set(fingerprint, Promise.resolve(listed));
    this.#listings.set(fingerprint, Promise.resolve(listingOf(listed)));
    this.changes += 1;
    if (isSame) return;
    try {
      await writeJson(this.#fileOf(fingerprint), { version: VERSION, ...listed });
      this.#unwritten.delete(fingerprint);
    } catch (cause) {
      this.#unwritten.set(fingerprint, listed);
      this.#logger.debug('Cannot keep the tools of a server', { file: this.#fileOf(fingerprint), cause });
    }
  }

  async #known(fingerprint: string): Promise<ListedServer | undefined> {
    const known = this.#whole.get(fingerprint);
    if (known && fingerprint === this.#newest) return await known;
    const listed = known ?? this.#read(fingerprint);
    this.#newest = fingerprint;
    this.#whole.delete(fingerprint);
    this.#whole.set(fingerprint, listed);
    if (!known) await this.#forgetOldest();
    return await listed;
  }

  async #read(fingerprint: string): Promise<ListedServer | undefined> {
    const unwritten = this.#unwritten.get(fingerprint);
    if (unwritten) return unwritten;
    const kept = await readJson(this.#fileOf(fingerprint));
    if (!isFields(kept) || kept.version !== VERSION || !Array.isArray(kept.tools)) return undefined;
    return { about: textOf(kept.about), tools: kept.tools.filter(isListedTool) };
  }

  async #forgetOldest(): Promise<void> {
    const newestFirst = [...this.#whole].reverse();
    let tools = 0;
    for (const [at, [fingerprint, listed]] of newestFirst.entries()) {
      tools += (await listed)?.tools.length ?? 0;
      if (at > 0 && tools > BOUNDS.toolsInMemory) this.#whole.delete(fingerprint);
    }
  }

  #fileOf(fingerprint: string): string {
    return join(this.#folder, `${fingerprint}.json`);
  }
}

/** Enough for a file that we wrote: its tools went through `readTools` before. */
function isListedTool(value: unknown): value is ListedTool {
  return isFields(value) && typeof value.name === 'string' && isFields(value.inputSchema);
}

function listingOf({ about, tools }: ListedServer): Listing {
  return { about, tools: new Set(tools.map(({ name }) => name)) };
}
