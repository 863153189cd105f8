/**
 * Names first: how well a query names a tool, in steps that no amount of meaning can climb.
 *
 * People and models search for what they half remember (`create_iss`, `github issue`, `mcp__github__create_issue`); such
 * a query must give that tool before any that is merely about the same.
 */
import { nameWords } from './document.ts';
import type { Query } from './query.ts';
import { stem } from './stem.ts';
import { words } from './tokenize.ts';
import type { IndexedTool } from './tool.ts';

/** From the surest to none; a higher step is never outranked by a lower one. */
export const NAME_STEP = {
  /** The very name, or server and name with a usual sign between. */
  exact: 6,
  /** The same words in the same order, whatever the case and signs; or an identifier in the query with those words. */
  same: 5,
  /** The name, or server and name, starts with the query. */
  prefix: 4,
  /** Every telling word is a word of server or name. */
  words: 3,
  /** Every telling word starts a word of server or name, or is a part of it. */
  parts: 2,
  /** The same after typos were corrected. */
  corrected: 1,
  none: 0,
} as const;

export type NameStep = (typeof NAME_STEP)[keyof typeof NAME_STEP];

/** A tool's name, ready to be compared. */
export interface ToolName {
  readonly name: string;
  readonly server: string;
  /** Both, told apart. */
  readonly full: string;
  /** The words of the name, and of server and name, run together. */
  readonly compact: string;
  readonly qualified: string;
  /** ` server words name words `, and the same as stems. */
  readonly spelled: string;
  readonly stems: string;
}

export function readToolName(tool: IndexedTool): ToolName {
  const name = nameWords(tool.name);
  const all = [...nameWords(tool.server), ...name];
  return {
    name: tool.name,
    server: tool.server,
    full: `${tool.server}\n${tool.name}`,
    compact: name.join(''),
    qualified: all.join(''),
    spelled: ` ${all.join(' ')} `,
    stems: ` ${all.map(stem).join(' ')} `,
  };
}

interface ProbeWord {
  readonly word: string;
  readonly stem: string;
}

/** What the query would be as a name. */
export interface NameProbe {
  readonly raw: string;
  readonly compacts: ReadonlySet<string>;
  readonly mentions: ReadonlySet<string>;
  readonly telling: readonly ProbeWord[];
  /** Spellings instead of each telling word; absent when no word was corrected. */
  readonly corrected: ReadonlyArray<readonly ProbeWord[]> | undefined;
}

/** Longer queries are sentences; they name a tool only by mentioning it. */
const WORDS_MAX = 8;
const RAW_CHARS_MAX = 600;
const START_LENGTH_MIN = 3;
const PART_LENGTH_MIN = 4;
const MENTIONS_CHARS_MAX = 4_000;
const MENTIONS_MAX = 64;
/** Starts only where a run of letters does, or a long run would be walked once for each of its letters. */
const IDENTIFIER =
  /(?<![\p{L}\p{N}])(?:[\p{L}\p{N}]+(?:[_.:/-]{1,2}[\p{L}\p{N}]+)+|\p{L}[\p{L}\p{N}]*\p{Ll}\p{Lu}[\p{L}\p{N}]*)/gu;

export function readNameProbe(
  text: string,
  query: Query,
  corrections: ReadonlyMap<string, readonly string[]>,
): NameProbe {
  const raw = text.trim();
  const isShort = query.telling.length <= WORDS_MAX && raw.length <= RAW_CHARS_MAX;
  const telling = isShort ? [...new Set(query.telling)] : [];
  const isCorrected = telling.some((word) => corrections.has(word));
  return {
    raw,
    compacts: new Set(
      isShort ? [withoutPrefix(words(raw)).join(''), query.words.join('')].filter((name) => name !== '') : [],
    ),
    mentions: new Set(
      (raw.slice(0, MENTIONS_CHARS_MAX).match(IDENTIFIER) ?? [])
        .slice(0, MENTIONS_MAX)
        .map((name) => withoutPrefix(words(name)).join('')),
    ),
    telling: telling.map(probeWord),
    corrected: isCorrected ? telling.map((word) => (corrections.get(word) ?? [word]).map(probeWord)) : undefined,
  };
}

/** Whole names to the numbers of the tools that have them, for queries too long to be compared with each tool. */
export class NameTable {
  readonly #tools = new Map<string, number[]>();

  constructor(names: Iterable<ToolName>) {
    let tool = 0;
    for (const { name, compact, qualified } of names) {
      for (const key of new Set([name, compact, qualified])) this.#put(key, tool);
      tool += 1;
    }
  }

  /** Tools that a sentence may name; undefined for a short query, which may name any. */
  candidates(probe: NameProbe): ReadonlySet<number> | undefined {
    if (probe.telling.length > 0 || probe.compacts.size > 0) return undefined;
    return new Set([probe.raw, ...probe.mentions].flatMap((key) => this.#tools.get(key) ?? []));
  }

  #put(key: string, tool: number): void {
    const known = this.#tools.get(key);
    if (known === undefined) this.#tools.set(key, [tool]);
    else known.push(tool);
  }
}

export function nameStep(tool: ToolName, probe: NameProbe): NameStep {
  if (isExact(tool, probe.raw)) return NAME_STEP.exact;
  if (isOneOf(tool, probe.compacts) || isOneOf(tool, probe.mentions)) return NAME_STEP.same;
  for (const compact of probe.compacts) {
    if (tool.compact.startsWith(compact) || tool.qualified.startsWith(compact)) return NAME_STEP.prefix;
  }
  if (probe.telling.length === 0) return NAME_STEP.none;
  if (probe.telling.every((item) => tool.stems.includes(` ${item.stem} `))) return NAME_STEP.words;
  if (probe.telling.every((item) => hasPart(tool, item))) return NAME_STEP.parts;
  const isLikely = probe.corrected?.every((spellings) => spellings.some((item) => hasPart(tool, item)));
  return isLikely === true ? NAME_STEP.corrected : NAME_STEP.none;
}

function isExact(tool: ToolName, raw: string): boolean {
  if (raw === tool.name || raw === tool.name.trim()) return raw !== '';
  if (!raw.endsWith(tool.name)) return false;
  const before = raw.slice(0, raw.length - tool.name.length);
  return ['.', ' ', '__', '/', ':'].some(
    (sign) => before === tool.server + sign || before === `mcp__${tool.server}${sign}`,
  );
}

function isOneOf(tool: ToolName, compacts: ReadonlySet<string>): boolean {
  return compacts.has(tool.compact) || compacts.has(tool.qualified);
}

function probeWord(word: string): ProbeWord {
  return { word, stem: stem(word) };
}

function hasPart(tool: ToolName, { word, stem: stemmed }: ProbeWord): boolean {
  return (
    (word.length >= START_LENGTH_MIN && tool.spelled.includes(` ${word}`)) ||
    tool.spelled.includes(` ${word} `) ||
    (stemmed.length >= PART_LENGTH_MIN && tool.spelled.includes(` ${stemmed}`)) ||
    (word.length >= PART_LENGTH_MIN && tool.qualified.includes(word))
  );
}

/** Clients write upstream tools as `mcp__server__tool`. */
function withoutPrefix(list: readonly string[]): readonly string[] {
  return list.length > 2 && list[0] === 'mcp' ? list.slice(1) : list;
}
