/**
 * The nearest known spelling of a word that the catalogue does not have.
 *
 * Two cheap looks (length, and which letters occur) leave few words for the real comparison, so that the dictionary can
 * be walked for each unknown word.
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

/** Words of one length, side by side. */
interface Shelf {
  readonly words: string[];
  readonly terms: number[];
  readonly letters: number[];
}

export class Dictionary {
  readonly #shelves = new Map<number, Shelf>();

  constructor(spellings: Iterable<readonly [word: string, term: number]>) {
    for (const [word, term] of spellings) {
      if (word.length < LENGTH_MIN - 1 || word.length > LENGTH_MAX + 2) continue;
      const shelf = this.#shelves.get(word.length) ?? { words: [], terms: [], letters: [] };
      this.#shelves.set(word.length, shelf);
      shelf.words.push(word);
      shelf.terms.push(term);
      shelf.letters.push(lettersOf(word));
    }
  }

  /** Nearest first, then by spelling; of one term only its nearest spelling; empty when nothing is near. */
  nearest(word: string, editsMax: number): Spelling[] {
    const allowed = Math.min(editsMax, editsAllowed(word));
    if (allowed === 0) return [];
    const found: Spelling[] = [];
    for (let length = word.length - allowed; length <= word.length + allowed; length += 1) {
      const shelf = this.#shelves.get(length);
      if (shelf !== undefined) lookThrough(shelf, word, allowed, found);
    }
    found.sort((a, b) => a.distance - b.distance || (a.word < b.word ? -1 : 1));
    return nearestOfEachTerm(found).slice(0, SPELLINGS_MAX);
  }
}

function lookThrough(shelf: Shelf, word: string, allowed: number, found: Spelling[]): void {
  const letters = lettersOf(word);
  for (let index = 0; index < shelf.words.length; index += 1) {
    // One edit changes at most two of the letters that occur.
    if (bitCount(letters ^ (shelf.letters[index] ?? 0)) > 2 * allowed) continue;
    const other = shelf.words[index] ?? '';
    const distance = editDistance(word, other, allowed);
    if (distance > allowed || (distance === 2 && other[0] !== word[0])) continue;
    found.push({ word: other, term: shelf.terms[index] ?? 0, distance });
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

/** How many bits are set, all in parallel: by pairs, by fours, by bytes, and the bytes' sum in the highest. */
function bitCount(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Insertions, deletions, replacements and swaps of neighbours; gives up past `max` and then returns `max + 1`. */
export function editDistance(a: string, b: string, max: number): number {
  let [beforeLast, last, row] = b.length < ROW_LENGTH ? ROWS : makeRows(b.length + 1);
  for (let j = 0; j <= b.length; j += 1) last[j] = j;
  for (let i = 1; i <= a.length; i += 1) {
    row[0] = i;
    let least = i;
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? (beforeLast[j - 2] ?? 0) + 1 : replaced;
      const next = Math.min((row[j - 1] ?? 0) + 1, (last[j] ?? 0) + 1, replaced, swapped);
      row[j] = next;
      if (next < least) least = next;
    }
    if (least > max) return max + 1;
    [beforeLast, last, row] = [last, row, beforeLast];
  }
  return Math.min(last[b.length] ?? 0, max + 1);
}

/** Used again and again: a look through the dictionary compares thousands of words. */
const ROW_LENGTH = 64;
const ROWS = makeRows(ROW_LENGTH);

function makeRows(length: number): [Uint16Array, Uint16Array, Uint16Array] {
  return [new Uint16Array(length), new Uint16Array(length), new Uint16Array(length)];
}
