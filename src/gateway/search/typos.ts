/**
 * The nearest known spelling of a word that the catalogue does not have.
 *
 * Two cheap looks (length, and which letters occur) leave few words for the real comparison, so the whole dictionary
 * can be walked for each unknown word without an index of its own.
 */

export interface Spelling {
  readonly word: string;
  readonly term: number;
  readonly distance: number;
}

/** Shorter words have too many neighbours for a correction to mean anything. */
const LENGTH_MIN = 4;
const LENGTH_FOR_TWO_EDITS = 8;
const LENGTH_MAX = 32;
const SPELLINGS_MAX = 3;

export class Dictionary {
  readonly #words: string[] = [];
  readonly #terms: number[] = [];
  readonly #letters: Int32Array;

  constructor(spellings: Iterable<readonly [word: string, term: number]>) {
    for (const [word, term] of spellings) {
      if (word.length < LENGTH_MIN - 1 || word.length > LENGTH_MAX) continue;
      this.#words.push(word);
      this.#terms.push(term);
    }
    this.#letters = Int32Array.from(this.#words, lettersOf);
  }

  /** Nearest first, then by spelling; of one term only its nearest spelling; empty when nothing is near. */
  nearest(word: string, editsMax: number): Spelling[] {
    const allowed = Math.min(editsMax, editsAllowed(word));
    if (allowed === 0) return [];
    const letters = lettersOf(word);
    const found: Spelling[] = [];
    for (let index = 0; index < this.#words.length; index += 1) {
      const other = this.#words[index] ?? '';
      if (Math.abs(other.length - word.length) > allowed) continue;
      // One edit changes at most two of the letters that occur.
      if (bitCount(letters ^ (this.#letters[index] ?? 0)) > 2 * allowed) continue;
      const distance = editDistance(word, other, allowed);
      if (distance > allowed || (distance === 2 && other[0] !== word[0])) continue;
      found.push({ word: other, term: this.#terms[index] ?? 0, distance });
    }
    found.sort((a, b) => a.distance - b.distance || (a.word < b.word ? -1 : 1));
    return nearestOfEachTerm(found).slice(0, SPELLINGS_MAX);
  }
}

function nearestOfEachTerm(sorted: readonly Spelling[]): Spelling[] {
  const terms = new Set<number>();
  return sorted.filter(({ term, distance }) => {
    const isNew = !terms.has(term) && distance === sorted[0]?.distance;
    terms.add(term);
    return isNew;
  });
}

function editsAllowed(word: string): number {
  if (word.length < LENGTH_MIN || word.length > LENGTH_MAX || /\p{N}/u.test(word)) return 0;
  return word.length < LENGTH_FOR_TWO_EDITS ? 1 : 2;
}

/** Which letters occur, as bits; letters beyond 32 share bits, which only weakens the look. */
function lettersOf(word: string): number {
  let bits = 0;
  for (let index = 0; index < word.length; index += 1) bits |= 1 << (word.charCodeAt(index) & 31);
  return bits;
}

function bitCount(bits: number): number {
  let rest = bits;
  let count = 0;
  while (rest !== 0) {
    rest &= rest - 1;
    count += 1;
  }
  return count;
}

/** Insertions, deletions, replacements and swaps of neighbours; gives up past `max` and then returns `max + 1`. */
export function editDistance(a: string, b: string, max: number): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? (beforeLast[j - 2] ?? 0) + 1 : replaced;
      row.push(Math.min((row[j - 1] ?? 0) + 1, (last[j] ?? 0) + 1, replaced, swapped));
    }
    if (Math.min(...row) > max) return max + 1;
    beforeLast = last;
    last = row;
  }
  return Math.min(last[b.length] ?? 0, max + 1);
}
