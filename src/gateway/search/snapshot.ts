/**
 * The tools of all servers as one searchable whole.
 *
 * What can be read from one server's tools alone is read once, when they come, and kept in a few flat arrays; the texts
 * themselves, which are most of the bytes, are not. The arrays over all tools are made when they are next asked for.
 */
import { analyzeTool, nameWords } from './document.ts';
import { NameTable, readToolName, type ToolName } from './names.ts';
import { Postings, type ServerTerms } from './postings.ts';
import { type ServerRange, trigramsOf } from './servers.ts';
import type { Catalogue } from './terms.ts';
import type { IndexedTool } from './tool.ts';
import { Dictionary } from './typos.ts';
import { Vocabulary } from './vocabulary.ts';

/** A tool as the index remembers it. */
export interface ReadTool extends ToolName {
  /** Its place among the tools that its server was given with. */
  readonly at: number;
}

/** Tools are in the order that ties are settled in: by server, then by name. Their place here is their number. */
export interface Snapshot extends Catalogue {
  readonly tools: readonly ReadTool[];
  readonly servers: readonly ServerRange[];
  readonly nameTable: () => NameTable;
}

interface ServerEntry {
  readonly tools: readonly ReadTool[];
  readonly terms: ServerTerms;
  readonly description: string;
  readonly trigrams: ReadonlySet<string>;
}

/** Servers that come and go leave terms behind; past this many dead ones for each live one, terms are numbered anew. */
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
    const sorted = [...tools.entries()].sort(([, a], [, b]) => compareText(a.name, b.name));
    const documents = sorted.map(([, tool]) => analyzeTool(tool, description, this.#vocabulary));
    this.#servers.set(server, {
      tools: sorted.map(([at, tool]) => ({ ...readToolName(tool), at })),
      terms: joined(documents),
      description,
      trigrams: trigramsOf(nameWords(server)),
    });
  }

  snapshot(): Snapshot {
    this.#snapshot ??= this.#build();
    return this.#snapshot;
  }

  #build(): Snapshot {
    const tools: ReadTool[] = [];
    const servers: ServerRange[] = [];
    const ordered = [...this.#servers].sort(([a], [b]) => compareText(a, b));
    for (const [server, entry] of ordered) {
      const start = tools.length;
      const { description, trigrams } = entry;
      servers.push({ server, description, start, end: start + entry.tools.length, trigrams });
      for (const tool of entry.tools) tools.push(tool);
    }
    const all = ordered.map(([, { terms }]) => terms);
    let postings = new Postings(all, this.#vocabulary.size);
    if (isMostlyDead(postings, this.#vocabulary.size)) {
      const numbers = this.#vocabulary.forget((term) => postings.frequency(term) === 0);
      for (const { terms } of all) for (const [at, term] of terms.entries()) terms[at] = numbers[term] ?? 0;
      postings = new Postings(all, this.#vocabulary.size);
    }
    const vocabulary = this.#vocabulary;
    return {
      tools,
      servers,
      vocabulary,
      postings,
      nameTable: once(() => new NameTable(tools)),
      dictionary: once(() => new Dictionary(vocabulary.spellings())),
    };
  }
}

/** The terms of a server's tools, one after the other. */
function joined(documents: ReadonlyArray<ReadonlyMap<number, number>>): ServerTerms {
  const starts = new Uint32Array(documents.length + 1);
  for (const [index, { size }] of documents.entries()) starts[index + 1] = (starts[index] ?? 0) + size;
  const total = starts[documents.length] ?? 0;
  const terms = new Uint32Array(total);
  const weights = new Float32Array(total);
  let at = 0;
  for (const document of documents) {
    for (const [term, weight] of document) {
      terms[at] = term;
      weights[at] = weight;
      at += 1;
    }
  }
  return { starts, terms, weights };
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
