/** The servers to name when no tool fits well: the reader can look there, or say what is meant in their words. */
import { highest } from './numbers.ts';
import { stem } from './stem.ts';

export interface NearServer {
  readonly server: string;
  /** One line: the server's own description, else what its tools are called. */
  readonly description: string;
  readonly tools: number;
}

/** A server's tools, side by side in the catalogue. */
export interface ServerRange {
  readonly server: string;
  readonly description: string;
  readonly start: number;
  readonly end: number;
  /** Of the server's name. */
  readonly trigrams: ReadonlySet<string>;
}

export interface Served {
  readonly servers: readonly ServerRange[];
  readonly tools: ReadonlyArray<{ readonly name: string }>;
}

const SERVERS_MAX = 5;
const DESCRIPTION_CHARS_MAX = 120;
const NAMES_CHARS_MAX = 100;
/** Letters shared with the server's name count as much as half of the best tool's meaning. */
const LIKENESS_WEIGHT = 0.5;

export function nearestServers(
  query: readonly string[],
  { servers, tools }: Served,
  scores: Float32Array,
): NearServer[] {
  const best = servers.map(({ start, end }) => highest(scores.subarray(start, end)));
  const most = Math.max(highest(best), Number.MIN_VALUE);
  const wanted = trigramsOf(query);
  return servers
    .map((range, index) => ({
      range,
      nearness: (best[index] ?? 0) / most + LIKENESS_WEIGHT * likeness(wanted, range.trigrams),
    }))
    .sort(
      (a, b) =>
        b.nearness - a.nearness ||
        b.range.end - b.range.start - (a.range.end - a.range.start) ||
        (a.range.server < b.range.server ? -1 : 1),
    )
    .slice(0, SERVERS_MAX)
    .map(({ range }) => ({
      server: range.server,
      description: describe(range, tools.slice(range.start, range.end)),
      tools: range.end - range.start,
    }));
}

function describe({ description }: ServerRange, tools: Served['tools']): string {
  const line = description
    .split('\n')
    .map((text) => text.replaceAll(/\s+/g, ' ').trim())
    .find((text) => text !== '');
  return line === undefined ? listNames(tools) : cutAtWord(line, DESCRIPTION_CHARS_MAX);
}

function listNames(tools: Served['tools']): string {
  return cutAtWord(tools.map(({ name }) => name.replaceAll(/\s+/g, ' ')).join(', '), NAMES_CHARS_MAX);
}

function cutAtWord(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const cut = text.slice(0, charsMax - 1);
  const space = cut.lastIndexOf(' ');
  return `${(space > charsMax / 2 ? cut.slice(0, space) : cut).replace(/[\s,;:.-]+$/, '')}…`;
}

/** Pieces of three letters of the words' stems. */
export function trigramsOf(list: readonly string[]): Set<string> {
  const found = new Set<string>();
  for (const word of list) {
    const padded = ` ${stem(word)} `;
    for (let at = 0; at + 3 <= padded.length; at += 1) found.add(padded.slice(at, at + 3));
  }
  return found;
}

/** The part of the server name's trigrams that the query has, from 0 to 1. */
function likeness(query: ReadonlySet<string>, name: ReadonlySet<string>): number {
  let shared = 0;
  for (const trigram of name) if (query.has(trigram)) shared += 1;
  return name.size === 0 ? 0 : shared / name.size;
}
