/** A query read as if it were a tool's name. */
import type { Query } from './query.ts';
import { stem } from './stem.ts';
import { words } from './tokenize.ts';

export interface NameProbe {
  readonly raw: string;
  /** Its words run together: all of them, and those that say something. Empty for a sentence. */
  readonly starts: readonly string[];
  /** Those again, and the identifiers in it. */
  readonly names: ReadonlySet<string>;
  /** Empty for a sentence. */
  readonly telling: readonly ProbeWord[];
  /** Spellings instead of each telling word; absent when no word was corrected. */
  readonly corrected: ReadonlyArray<readonly ProbeWord[]> | undefined;
}

/** A word in the forms that it is looked for in, made once for all tools. Empty: too short for that form. */
export interface ProbeWord {
  /** Found anywhere in the words run together. */
  readonly part: string;
  /** Found in the words as spelled, with a space before each. */
  readonly start: string;
  readonly stemStart: string;
  /** Found among the stems. */
  readonly stem: string;
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
  const starts = (isShort ? [runTogether(raw), query.words.join('')] : []).filter((start) => start !== '');
  const telling = isShort ? [...new Set(query.telling)] : [];
  const isCorrected = telling.some((word) => corrections.has(word));
  return {
    raw,
    starts,
    names: new Set([...starts, ...identifiersIn(raw).map(runTogether)]),
    telling: telling.map(readProbeWord),
    corrected: isCorrected ? telling.map((word) => (corrections.get(word) ?? [word]).map(readProbeWord)) : undefined,
  };
}

function identifiersIn(raw: string): readonly string[] {
  return (raw.slice(0, MENTIONS_CHARS_MAX).match(IDENTIFIER) ?? []).slice(0, MENTIONS_MAX);
}

/** Clients write upstream tools as `mcp__server__tool`. */
function runTogether(name: string): string {
  const list = words(name);
  return (list.length > 2 && list[0] === 'mcp' ? list.slice(1) : list).join('');
}

function readProbeWord(word: string): ProbeWord {
  const stemmed = stem(word);
  return {
    part: word.length >= PART_LENGTH_MIN ? word : '',
    start: word.length >= START_LENGTH_MIN ? ` ${word}` : ` ${word} `,
    stemStart: stemmed.length >= PART_LENGTH_MIN ? ` ${stemmed}` : '',
    stem: ` ${stemmed} `,
  };
}
