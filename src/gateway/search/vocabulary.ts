/**
 * Numbers for terms. A term is the stem of a word; every spelling that was met leads to it.
 *
 * Terms are never taken out: the index starts a new vocabulary when too few of them are still in use.
 */
import { stem } from './stem.ts';

export class Vocabulary {
  readonly #termOfStem = new Map<string, number>();
  readonly #termOfWord = new Map<string, number>();

  /** How many terms there are; their numbers are smaller than this. */
  get size(): number {
    return this.#termOfStem.size;
  }

  /** The term of a lower-case word, made if it is new. */
  add(word: string): number {
    const known = this.#termOfWord.get(word);
    if (known !== undefined) return known;
    const stemmed = stem(word);
    const term = this.#termOfStem.get(stemmed) ?? this.#termOfStem.size;
    this.#termOfStem.set(stemmed, term);
    this.#termOfWord.set(word, term);
    return term;
  }

  find(stemmed: string): number | undefined {
    return this.#termOfStem.get(stemmed);
  }

  /** Every spelling met so far, with its term. */
  spellings(): IterableIterator<[word: string, term: number]> {
    return this.#termOfWord.entries();
  }
}
