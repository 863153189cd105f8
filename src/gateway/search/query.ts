/**
 * A query, from two words to a whole task, as clauses of weighted words.
 *
 * A task often needs several tools ("find the paper and save a summary to …"). Each clause is ranked for itself, so that
 * the tools for one wish do not push out those for the next.
 */
import { findLiterals, type Literal } from './literals.ts';
import { stem } from './stem.ts';
import { isStopWord, isTelling, wordWeight } from './stopwords.ts';
import { caseCompounds, joinNeighbours, words } from './tokenize.ts';

/**
 * `word`: said as a word. `name`: said with a capital, so most likely a value (a city, a person). `literal`: taken from a
 * path, a quoted text and the like, or its kind. `joined`: two neighbours as one word.
 * Only a `word` that the catalogue does not have counts as something asked for and not found.
 */
export type WordOrigin = 'word' | 'name' | 'literal' | 'joined';

export interface QueryWord {
  /** As first spelled. */
  readonly word: string;
  readonly stem: string;
  readonly weight: number;
  readonly origin: WordOrigin;
}

export interface Query {
  readonly clauses: ReadonlyArray<readonly QueryWord[]>;
  /** The words in order, without grammar; what a name is compared with. */
  readonly words: readonly string[];
  /** Those among them that say something; all of them where none does. */
  readonly telling: readonly string[];
}

/** What is read of a query; a pasted file is not a wish. */
const QUERY_CHARS_MAX = 16_000;
const WORDS_MAX = 160;
const CLAUSES_MAX = 12;

const JOINED_WEIGHT = 0.8;
const LITERAL_WEIGHT = 0.25;
const KIND_WEIGHT = 0.5;
/** A word said again counts more, up to a point; in a later clause, less. */
const REPEAT_WEIGHT = 0.75;
const REPEATED_WEIGHT_MAX = 3;
const LATER_CLAUSE_WEIGHT = 0.5;

const VERBS =
  'add|analyze|book|buy|calculate|check|compare|convert|create|delete|download|draw|email|explain|export|fetch|find|generate|get|give|identify|list|make|notify|open|organize|play|plot|post|print|provide|put|read|recommend|remove|retrieve|save|schedule|search|send|set|share|show|store|suggest|summarize|tell|translate|turn|update|upload|write';
const OBJECTS = 'it|the|a|an|this|that|these|them|me|my|us|to|all|its|their|some|any';
const REQUESTS = 'can|could|would|will|please|i|do|does|what|how|which|where|is|are|any';
const SEQUELS = 'and then|then|and also|also|as well as|additionally|finally|lastly|next|afterwards';
const NAME = /(?<=[\p{L}\p{N},:)]\s)\p{Lu}\p{Ll}+/gu;
const CAPITALIZABLE = /\p{L}{2,}/gu;
const CLAUSE_END = new RegExp(
  [
    String.raw`(?<=[.?!;])\s+|\n+|[。？！；]`,
    String.raw`,?\s(?:${SEQUELS})\b,?`,
    String.raw`,?\sand\s(?=(?:${REQUESTS})\b)`,
    String.raw`,?\sand\s(?=(?:${VERBS})\s(?:${OBJECTS})\b)`,
  ].join('|'),
  'giu',
);

export function readQuery(text: string): Query {
  const query = text.slice(0, QUERY_CHARS_MAX);
  const literals = findLiterals(query);
  const plain = withoutLiterals(query, literals);
  const known = words(plain).slice(0, WORDS_MAX);
  // A query that is nothing but a quoted value or a path means it literally.
  const isLiteral = !known.some((word) => !isStopWord(word));
  const content = (isLiteral ? words(query).slice(0, WORDS_MAX) : known).filter((word) => !isStopWord(word));
  const telling = content.filter(isTelling);
  return {
    clauses: isLiteral ? [new ClauseReader(query, []).read()] : readClauses(plain, literals),
    words: content,
    telling: telling.length > 0 ? telling : content,
  };
}

/** Of the same length, so that positions stay true; underscores are neither words nor ends of clauses. */
function withoutLiterals(query: string, literals: readonly Literal[]): string {
  let at = 0;
  const parts: string[] = [];
  for (const { start, end } of literals) {
    parts.push(query.slice(at, start), '_'.repeat(end - start));
    at = end;
  }
  return [...parts, query.slice(at)].join('');
}

function readClauses(plain: string, literals: readonly Literal[]): QueryWord[][] {
  const seen = new Set<string>();
  const clauses: QueryWord[][] = [];
  for (const [start, end] of clauseRanges(plain)) {
    const inside = literals.filter((literal) => literal.start >= start && literal.start < end);
    const clause = new ClauseReader(plain.slice(start, end), inside).read();
    if (clause.length === 0) continue;
    clauses.push(
      clause.map((item) => (seen.has(item.stem) ? { ...item, weight: item.weight * LATER_CLAUSE_WEIGHT } : item)),
    );
    for (const item of clause) seen.add(item.stem);
  }
  return clauses;
}

function clauseRanges(plain: string): Array<readonly [start: number, end: number]> {
  const ranges: Array<readonly [number, number]> = [];
  let start = 0;
  for (const match of plain.matchAll(CLAUSE_END)) {
    if (ranges.length === CLAUSES_MAX - 1) break;
    ranges.push([start, match.index]);
    start = match.index + match[0].length;
  }
  return [...ranges, [start, plain.length]];
}

class ClauseReader {
  readonly #text: string;
  readonly #literals: readonly Literal[];
  readonly #found = new Map<string, QueryWord>();

  constructor(text: string, literals: readonly Literal[]) {
    this.#text = text;
    this.#literals = literals;
  }

  read(): QueryWord[] {
    const list = words(this.#text).slice(0, WORDS_MAX);
    const isFrameOnly = !list.some(isTelling) && this.#literals.length === 0;
    const names = namesIn(this.#text);
    for (const word of list) {
      const weight = isFrameOnly && !isStopWord(word) ? 1 : wordWeight(word);
      this.#put(word, weight, names.has(word) ? 'name' : 'word');
    }
    for (const word of neighbours(list)) this.#put(word, JOINED_WEIGHT, 'joined');
    for (const word of caseCompounds(this.#text)) this.#put(word, JOINED_WEIGHT, 'joined');
    for (const literal of this.#literals) {
      for (const word of words(literal.text).slice(0, WORDS_MAX))
        this.#put(word, LITERAL_WEIGHT * wordWeight(word), 'literal');
    }
    for (const kind of new Set(this.#literals.flatMap((literal) => literal.kinds)))
      this.#put(kind, KIND_WEIGHT, 'literal');
    return [...this.#found.values()].slice(0, 2 * WORDS_MAX);
  }

  #put(word: string, weight: number, origin: WordOrigin): void {
    if (weight === 0) return;
    const stemmed = stem(word);
    const before = this.#found.get(stemmed);
    const sum = before === undefined ? weight : Math.min(REPEATED_WEIGHT_MAX, before.weight + weight * REPEAT_WEIGHT);
    this.#found.set(stemmed, {
      word: before?.word ?? word,
      stem: stemmed,
      weight: sum,
      origin: before?.origin ?? origin,
    });
  }
}

/** Words with a capital inside a clause; none where capitals are the rule, as in a title. */
function namesIn(text: string): ReadonlySet<string> {
  const found = text.trimStart().match(NAME) ?? [];
  const all = text.match(CAPITALIZABLE) ?? [];
  return found.length * 2 > all.length ? new Set() : new Set(found.map((name) => name.toLowerCase()));
}

function neighbours(list: readonly string[]): string[] {
  return joinNeighbours(list).filter(
    (_, index) => !isStopWord(list[index] ?? '') && !isStopWord(list[index + 1] ?? ''),
  );
}
