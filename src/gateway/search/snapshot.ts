/**
 * The tools of all servers as one searchable whole.
 *
 * What can be read from one tool alone is read once and kept until its server changes; the flat arrays over all tools
 * are made from that when they are next asked for. Nothing is read before.
 */
import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { analyzeTool, nameWords, type ToolTerms } from './document.ts';
import { NameTable, readToolName, type ToolName } from './names.ts';
import { Postings } from './postings.ts';
import { type ServerRange, trigramsOf } from './servers.ts';
import type { Catalogue } from './terms.ts';
import type { IndexedTool } from './tool.ts';
import { Dictionary } from './typos.ts';
import { Vocabulary } from './vocabulary.ts';

/** A tool and what can be read from it alone. */
export interface ReadTool {
  readonly tool: IndexedTool;
  readonly name: ToolName;
  readonly terms: ToolTerms;
}

/** Tools are in the order that ties are settled in: by server, then by name. Their place here is their number. */
export interface Snapshot extends Catalogue {
  readonly tools: readonly ReadTool[];
  readonly servers: readonly ServerRange[];
  readonly nameTable: () => NameTable;
}

interface ServerEntry {
  readonly tools: readonly IndexedTool[];
  readonly description: string;
  readonly trigrams: ReadonlySet<string>;
  read: readonly ReadTool[] | undefined;
}

/** How long tools are read before other work gets its turn. */
const SLICE_MS = 8;
/** Servers that come and go leave terms behind; past this many dead ones for each live one, all is read anew. */
const DEAD_TERMS_PER_LIVE = 2;
const DEAD_TERMS_FREE = 20_000;

export class ToolStore {
  readonly #servers = new Map<string, ServerEntry>();
  #vocabulary = new Vocabulary();
  #snapshot: Snapshot | undefined;

  get size(): number {
    let size = 0;
    for (const { tools } of this.#servers.values()) size += tools.length;
    return size;
  }

  replace(server: string, tools: readonly IndexedTool[]): void {
    this.#snapshot = undefined;
    if (tools.length === 0) {
      this.#servers.delete(server);
      return;
    }
    const description = tools.find((tool) => tool.serverDescription)?.serverDescription ?? '';
    const sorted = tools.toSorted((a, b) => compareText(a.name, b.name));
    this.#servers.set(server, { tools: sorted, description, trigrams: trigramsOf(nameWords(server)), read: undefined });
  }

  /** Reads new tools in slices, so that other work goes on; what it has read, a search does not read again. */
  async prepare(): Promise<void> {
    let sliceEnd = performance.now() + SLICE_MS;
    for (const entry of [...this.#servers.values()]) {
      const vocabulary = this.#vocabulary;
      const read: ReadTool[] = [];
      for (const tool of entry.tools) {
        if (entry.read !== undefined) break;
        read.push(readTool(tool, entry.description, vocabulary));
        if (performance.now() < sliceEnd) continue;
        await setImmediate();
        sliceEnd = performance.now() + SLICE_MS;
      }
      // A search may have read them in between, or have started a new vocabulary.
      if (vocabulary === this.#vocabulary) entry.read ??= read;
    }
    this.snapshot();
  }

  snapshot(): Snapshot {
    this.#snapshot ??= this.#build();
    return this.#snapshot;
  }

  #build(): Snapshot {
    const vocabulary = this.#vocabulary;
    const tools: ReadTool[] = [];
    const servers: ServerRange[] = [];
    for (const [server, entry] of [...this.#servers].sort(([a], [b]) => compareText(a, b))) {
      entry.read ??= entry.tools.map((tool) => readTool(tool, entry.description, vocabulary));
      servers.push({
        server,
        description: entry.description,
        start: tools.length,
        end: tools.length + entry.read.length,
        trigrams: entry.trigrams,
      });
      for (const tool of entry.read) tools.push(tool);
    }
    const postings = new Postings(
      tools.map(({ terms }) => terms),
      vocabulary.size,
    );
    if (isMostlyDead(postings, vocabulary.size)) {
      this.#vocabulary = new Vocabulary();
      for (const entry of this.#servers.values()) entry.read = undefined;
      return this.#build();
    }
    return {
      tools,
      servers,
      vocabulary,
      postings,
      nameTable: once(() => new NameTable(tools.map(({ name }) => name))),
      dictionary: once(() => new Dictionary(vocabulary.spellings())),
    };
  }
}

function readTool(tool: IndexedTool, serverDescription: string, vocabulary: Vocabulary): ReadTool {
  return { tool, name: readToolName(tool), terms: analyzeTool(tool, serverDescription, vocabulary) };
}

function isMostlyDead(postings: Postings, terms: number): boolean {
  let live = 0;
  for (let term = 0; term < terms; term += 1) if (postings.frequency(term) > 0) live += 1;
  return terms - live > DEAD_TERMS_FREE + DEAD_TERMS_PER_LIVE * live;
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
