/**
 * Numbers for terms. A term is the stem of a word; every spelling that was met leads to it.
 *
 * Terms are taken out all at once, when too few of them are still in use.
 */
import { stem } from './stem.ts';

export class Vocabulary {
  #termOfStem = new Map<string, number>();
  #termOfWord = new Map<string, number>();

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

  /** Takes out the terms that are dead and numbers the others anew: old number → new one. */
  forget(isDead: (term: number) => boolean): Uint32Array {
    const numbers = new Uint32Array(this.size);
    const kept = new Map<string, number>();
    for (const [stemmed, term] of this.#termOfStem) {
      if (isDead(term)) continue;
      numbers[term] = kept.size;
      kept.set(stemmed, kept.size);
    }
    const words = [...this.#termOfWord].filter(([, term]) => !isDead(term));
    this.#termOfStem = kept;
    this.#termOfWord = new Map(words.map(([word, term]) => [word, numbers[term] ?? 0]));
    return numbers;
  }

  find(stemmed: string): number | undefined {
    return this.#termOfStem.get(stemmed);
  }

  /** Every spelling met so far, with its term. */
  spellings(): IterableIterator<[word: string, term: number]> {
    return this.#termOfWord.entries();
  }
}
