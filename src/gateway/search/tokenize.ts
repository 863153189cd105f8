/**
 * Text into words, in any script.
 *
 * Latin and other spaced scripts: runs of letters and digits, split where an identifier changes case. Scripts written
 * without spaces (and Korean, whose particles stick to the word): overlapping pairs of characters, so that a word is
 * found inside a sentence without a dictionary.
 */

const UNSPACED =
  '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}ー';
const PLAIN_RUN = /[A-Za-z0-9]+/g;
const RUN = new RegExp(`[${UNSPACED}][${UNSPACED}\\p{M}]*|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}])+`, 'gu');
const STARTS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u');
// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
const IS_ASCII = /^[\x00-\x7f]*$/;
const LATIN_ACCENTS = /[\u0300-\u036f]/g;
const APOSTROPHE = /(?<=\p{L})['’](?=\p{L})/gu;
const HAS_INNER_CAPITAL = /.\p{Lu}/u;
/** `APIs` stays whole; an acronym ends before the capital of the next word; anything else starts at a capital. */
const CASE_PARTS = /\p{Lu}{2,}s(?!\p{Ll})|\p{Lu}+(?!\p{Ll})\p{N}*|\p{Lu}?[^\p{Lu}]+/gu;

/** Lower-case words in the order of the text. */
export function words(text: string): string[] {
  const found: string[] = [];
  for (const run of runs(text)) {
    // One by one: the arguments of a call have a limit that a hostile text passes.
    for (const word of wordsOfRun(run)) found.push(word);
  }
  return found;
}

/** Neighbours within one camel-case run, joined: `GitHub` is two words, yet people also write `github`. */
export function caseCompounds(text: string): string[] {
  const found: string[] = [];
  for (const run of runs(text)) {
    if (!HAS_INNER_CAPITAL.test(run)) continue;
    for (const word of joinNeighbours(caseParts(run))) found.push(word);
  }
  return found;
}

/** Each word with the one after it, as one word: `file system` is also `filesystem`. */
export function joinNeighbours(list: readonly string[]): string[] {
  return list.slice(1).map((word, index) => `${list[index]}${word}`);
}

function runs(text: string): readonly string[] {
  if (IS_ASCII.test(text)) return text.replaceAll(APOSTROPHE, '').match(PLAIN_RUN) ?? [];
  const plain = text.normalize('NFKD').replaceAll(LATIN_ACCENTS, '').normalize('NFKC');
  return plain.replaceAll(APOSTROPHE, '').match(RUN) ?? [];
}

function wordsOfRun(run: string): readonly string[] {
  if (STARTS_UNSPACED.test(run)) return pairs(run);
  return HAS_INNER_CAPITAL.test(run) ? caseParts(run) : [run.toLowerCase()];
}

function caseParts(run: string): readonly string[] {
  return (run.match(CASE_PARTS) ?? [run]).map((part) => part.toLowerCase());
}

function pairs(run: string): string[] {
  const characters = [...run];
  return characters.length === 1 ? characters : joinNeighbours(characters);
}
