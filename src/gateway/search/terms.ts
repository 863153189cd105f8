/** A query's words as terms of one catalogue: the word itself, its synonyms, or what the user most likely meant. */
import type { Postings } from './postings.ts';
import type { QueryWord } from './query.ts';
import { stem } from './stem.ts';
import { synonymsOf } from './synonyms.ts';
import type { Dictionary } from './typos.ts';
import type { Vocabulary } from './vocabulary.ts';

export interface Catalogue {
  readonly vocabulary: Vocabulary;
  readonly postings: Postings;
  /** Made on first use: most queries have no typo. */
  readonly dictionary: () => Dictionary;
}

export interface QueryTerm {
  readonly weight: number;
  /** What a hit of the word tells; the most that any alternative can count. */
  readonly rarity: number;
  /** Terms that count as this word, each with its share. */
  readonly alternatives: ReadonlyArray<readonly [term: number, share: number]>;
  /** Spellings taken instead of a word that the catalogue does not have; empty otherwise. */
  readonly corrections: readonly string[];
}

const SPLIT_SHARE = 0.7;
const SPLIT_LENGTH_MIN = 3;
/** No word of two is longer; trying every cut of a hostile one would take long. */
const SPLIT_WORD_MAX = 40;
const ONE_EDIT_SHARE = 0.7;
const TWO_EDITS_SHARE = 0.5;

export function findTerm(item: QueryWord, catalogue: Catalogue): QueryTerm {
  const { weight } = item;
  const known = knownTerms(item, catalogue);
  if (known.length > 0 || item.origin === 'literal' || item.origin === 'joined')
    return termOf(weight, known, catalogue);
  const halves = splitTerms(item.word, catalogue);
  if (halves.length > 0) return termOf(weight, halves, catalogue);
  // A name two letters away is another name.
  const editsMax = item.origin === 'name' ? 1 : 2;
  const spellings = catalogue
    .dictionary()
    .nearest(item.word, editsMax)
    .filter(({ term }) => catalogue.postings.frequency(term) > 0);
  const corrected = spellings.map(
    ({ term, distance }) => [term, distance === 1 ? ONE_EDIT_SHARE : TWO_EDITS_SHARE] as const,
  );
  return { ...termOf(weight, corrected, catalogue), corrections: spellings.map(({ word }) => word) };
}

function termOf(weight: number, alternatives: QueryTerm['alternatives'], { postings }: Catalogue): QueryTerm {
  const own = alternatives.find(([, share]) => share === 1);
  const rarity =
    own === undefined ? Math.max(0, ...alternatives.map(([term]) => postings.rarity(term))) : postings.rarity(own[0]);
  return { weight, rarity, alternatives, corrections: [] };
}

function knownTerms({ stem: stemmed, origin }: QueryWord, catalogue: Catalogue): Array<readonly [number, number]> {
  const found: Array<readonly [number, number]> = [];
  const put = (other: string, share: number): void => {
    const term = catalogue.vocabulary.find(other);
    if (term !== undefined && catalogue.postings.frequency(term) > 0) found.push([term, share]);
  };
  put(stemmed, 1);
  // A joined word that the catalogue does not have is none.
  if (found.length > 0 || origin !== 'joined') for (const [other, share] of synonymsOf(stemmed)) put(other, share);
  return found;
}

/** `pullrequest` where the catalogue says `pull request`: the halves, at the cut whose rarer half is rarest. */
function splitTerms(word: string, catalogue: Catalogue): Array<readonly [number, number]> {
  let best: Array<readonly [number, number]> = [];
  let bestRarity = 0;
  if (word.length > SPLIT_WORD_MAX) return best;
  for (let cut = SPLIT_LENGTH_MIN; cut <= word.length - SPLIT_LENGTH_MIN; cut += 1) {
    const halves = [word.slice(0, cut), word.slice(cut)].map((half) => catalogue.vocabulary.find(stem(half)) ?? -1);
    const rarities = halves.map((term) => (term < 0 ? 0 : catalogue.postings.rarity(term)));
    const rarity = Math.min(...rarities);
    if (rarity <= bestRarity) continue;
    bestRarity = rarity;
    best = halves.map((term) => [term, SPLIT_SHARE] as const);
  }
  return best;
}
