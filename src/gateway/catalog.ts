/**
 * What is known of the tools of all servers, on disk and in memory, whether the servers run or not.
 *
 * Memory holds what search and lists need of every tool; schemas, which are most of the bytes, only of the servers that
 * were asked about last. A server is known by the fingerprint of its entry, so one that is configured anew starts afresh.
 */
import { join } from 'node:path';
import { BOUNDS } from '#contracts/limits';
import type { Logger } from '#observability/logger';
import { readJson, writeJson } from './kept-json.ts';
import type { ListedServer } from './requests.ts';
import { type IndexedParameter, parametersOf } from './search/index.ts';
import { type ListedTool, readTools, textOf } from './tool-list.ts';
import { isFields } from './values.ts';

/** All of a tool but its schemas. */
export interface KnownTool extends Omit<ListedTool, 'inputSchema' | 'outputSchema'> {
  readonly parameters: readonly IndexedParameter[];
}

/** The same object as long as the server says the same. */
export interface Listing {
  readonly about: string | undefined;
  readonly tools: ReadonlyMap<string, KnownTool>;
}

const VERSION = 1;

export class Catalog {
  readonly #folder: string;
  readonly #logger: Logger;
  readonly #listings = new Map<string, Promise<Listing | undefined>>();
  /** The servers asked about last, at the end. */
  readonly #whole = new Map<string, ListedServer>();
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
      listing = this.#read(fingerprint).then((listed) => listed && listingOf(listed));
      this.#listings.set(fingerprint, listing);
    }
    return listing;
  }

  /** With schemas. Empty when the server was never listed. */
  async tools(fingerprint: string): Promise<readonly ListedTool[]> {
    const known = this.#whole.get(fingerprint) ?? this.#unwritten.get(fingerprint) ?? (await this.#read(fingerprint));
    if (known) this.#remember(fingerprint, known);
    return known?.tools ?? [];
  }

  /** Whether that is news. */
  async put(fingerprint: string, listed: ListedServer): Promise<boolean> {
    const [before, known] = [await this.find(fingerprint), await this.#known(fingerprint)];
    this.#remember(fingerprint, listed);
    if (before !== undefined && JSON.stringify(known) === JSON.stringify(listed)) return false;
    this.#listings.set(fingerprint, Promise.resolve(listingOf(listed)));
    try {
      await writeJson(this.#fileOf(fingerprint), { version: VERSION, ...listed });
      this.#unwritten.delete(fingerprint);
    } catch (cause) {
      this.#unwritten.set(fingerprint, listed);
      this.#logger.debug('Cannot keep the tools of a server', { file: this.#fileOf(fingerprint), cause });
    }
    return true;
  }

  async #known(fingerprint: string): Promise<ListedServer | undefined> {
    return this.#whole.get(fingerprint) ?? this.#unwritten.get(fingerprint) ?? (await this.#read(fingerprint));
  }

  async #read(fingerprint: string): Promise<ListedServer | undefined> {
    const kept = await readJson(this.#fileOf(fingerprint));
    if (!isFields(kept) || kept.version !== VERSION || !Array.isArray(kept.tools)) return undefined;
    return { about: textOf(kept.about), tools: readTools(kept.tools) };
  }

  #remember(fingerprint: string, listed: ListedServer): void {
    this.#whole.delete(fingerprint);
    this.#whole.set(fingerprint, listed);
    let tools = 0;
    for (const [older, { tools: own }] of [...this.#whole].reverse()) {
      tools += own.length;
      if (tools > BOUNDS.toolsInMemory && older !== fingerprint) this.#whole.delete(older);
    }
  }

  #fileOf(fingerprint: string): string {
    return join(this.#folder, `${fingerprint}.json`);
  }
}

function listingOf({ about, tools }: ListedServer): Listing {
  return { about, tools: new Map(tools.map((tool) => [tool.name, knownTool(tool)])) };
}

function knownTool({ inputSchema, outputSchema: _left, ...rest }: ListedTool): KnownTool {
  return { ...rest, parameters: parametersOf(inputSchema) };
}
