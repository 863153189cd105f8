/**
 * What the model sees of a program: its words and signs, alone, in pairs, and at the beginnings and ends of lines.
 *
 * Words that the model does not know are seen by their form only (`camelCase`, `snake_case`, …): how a language puts
 * names and signs together says more than the names themselves. Training and use read programs with this same code.
 */

const TOKEN = /[A-Za-z_]\w*(?:-[A-Za-z]\w*)*|\d[\w.]*|[^\w\s]+/g;
/** Longer runs of signs are decoration. */
const SIGNS_MAX = 3;

/** The features of a program, each once. */
export function featuresOf(code: string, knowsWord: (word: string) => boolean): Set<string> {
  const features = new Set<string>();
  for (const line of code.split('\n')) {
    const tokens = tokensOf(line, knowsWord);
    const first = tokens[0];
    const last = tokens[tokens.length - 1];
    if (first === undefined || last === undefined) continue;
    features.add(`^${first}`);
    features.add(`${last}$`);
    if (tokens.length > 1) features.add(`^${first} ${tokens[1]}`);
    if (tokens.length > 2) features.add(`${tokens[tokens.length - 2]} ${last}$`);
    for (const [place, token] of tokens.entries()) {
      features.add(token);
      if (place > 0) features.add(`${tokens[place - 1]} ${token}`);
      if (place > 1) features.add(`${tokens[place - 2]} ${tokens[place - 1]} ${token}`);
    }
  }
  return features;
}

/** The words of a program, for choosing which of them the model is to know. */
export function wordsOf(code: string): Set<string> {
  return new Set(code.match(/[A-Za-z_]\w*(?:-[A-Za-z]\w*)*/g) ?? []);
}

function tokensOf(line: string, knowsWord: (word: string) => boolean): string[] {
  const tokens: string[] = [];
  for (const [text] of line.matchAll(TOKEN)) {
    if (/^[A-Za-z_]/.test(text)) tokens.push(knowsWord(text) ? text : formOf(text));
    else if (/^\d/.test(text)) tokens.push(numberOf(text));
    else for (let at = 0; at < text.length; at += SIGNS_MAX) tokens.push(text.slice(at, at + SIGNS_MAX));
  }
  return tokens;
}

/** Forms are written in ways that no word is: they begin with a digit. */
function formOf(word: string): string {
  if (word.includes('-')) return /[A-Z]/.test(word) ? '1A-b' : '1a-b';
  if (word.startsWith('_')) return '1_a';
  if (word.length === 1) return /[A-Z]/.test(word) ? '1A' : '1a';
  if (word.includes('_')) return /[a-z]/.test(word) ? (/[A-Z]/.test(word) ? '1A_b' : '1a_b') : '1A_B';
  if (/^[a-z0-9]+$/.test(word)) return '1aa';
  if (/^[A-Z0-9]+$/.test(word)) return '1AA';
  return /^[A-Z]/.test(word) ? '1Aa' : '1aB';
}

function numberOf(text: string): string {
  const kind = /^0[xX]/.test(text) ? '0x' : text.includes('..') ? '0..' : text.includes('.') ? '0.0' : '0';
  const suffix = kind === '0x' ? '' : (/[A-Za-z_]\w{0,3}$/.exec(text)?.[0] ?? '');
  return kind + (suffix.length > 3 ? '' : suffix);
}
