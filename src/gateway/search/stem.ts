/**
 * A light English stemmer: words that a person would call the same word get the same stem.
 *
 * It is made for tool texts, where the cost of a wrong merge is a slightly worse order, and the cost of a missed one is
 * a tool that is not found. The stem is a key, not a word: `generate`, `generator` and `generation` become `gener`.
 */

/** Word families whose endings no rule brings together, and words that a rule would merge with a stranger. */
const IRREGULAR: ReadonlyMap<string, string> = new Map(
  Object.entries({
    analysis: 'analy',
    analyses: 'analy',
    analyze: 'analy',
    analyse: 'analy',
    analyzed: 'analy',
    analysed: 'analy',
    analyzing: 'analy',
    analysing: 'analy',
    analyzer: 'analy',
    analyser: 'analy',
    analytic: 'analy',
    analytics: 'analy',
    analytical: 'analy',
    indices: 'index',
    indexes: 'index',
    vertices: 'vertex',
    matrices: 'matrix',
    queries: 'query',
    query: 'query',
    statuses: 'status',
    status: 'status',
    statement: 'statement',
    statements: 'statement',
    children: 'child',
    people: 'person',
    men: 'man',
    women: 'woman',
    bought: 'buy',
    sent: 'send',
    found: 'find',
    wrote: 'write',
    written: 'write',
    writing: 'write',
    writes: 'write',
    write: 'write',
    writer: 'write',
    ran: 'run',
    running: 'run',
    made: 'make',
    getting: 'get',
    getter: 'get',
    setting: 'setting',
    settings: 'setting',
    meeting: 'meeting',
    meetings: 'meeting',
    building: 'build',
    built: 'build',
    news: 'news',
    series: 'series',
    media: 'media',
    data: 'data',
    server: 'server',
    servers: 'server',
    number: 'number',
    numbers: 'number',
    user: 'user',
    users: 'user',
    weather: 'weather',
    converts: 'convert',
    conversion: 'convert',
    conversions: 'convert',
    subscription: 'subscrib',
    subscriptions: 'subscrib',
    description: 'describ',
    descriptions: 'describ',
    transcription: 'transcrib',
    transcript: 'transcrib',
    transcripts: 'transcrib',
    history: 'histor',
    histories: 'histor',
    historic: 'histor',
    historical: 'histor',
    payment: 'pay',
    payments: 'pay',
    decision: 'decid',
    deletion: 'delet',
    encryption: 'encrypt',
    colour: 'color',
    colours: 'color',
    catalogue: 'catalog',
    catalogues: 'catalog',
    dialogue: 'dialog',
    cancelled: 'cancel',
    cancellation: 'cancel',
    busy: 'busy',
    business: 'business',
    businesses: 'business',
  }),
);

const VOWEL = /[aeiouy]/;

/** Endings from the longest to the shortest, each with the length that must remain before it for the cut to be safe. */
const ENDINGS: ReadonlyArray<readonly [ending: string, rest: number, becomes: string]> = [
  ['izations', 3, ''],
  ['isations', 3, ''],
  ['ization', 3, ''],
  ['isation', 3, ''],
  ['ability', 3, ''],
  ['ibility', 3, ''],
  ['ically', 3, ''],
  ['ements', 4, ''],
  ['ement', 4, ''],
  ['ators', 4, ''],
  ['ation', 4, ''],
  ['ative', 4, ''],
  ['ment', 4, ''],
  ['ness', 4, ''],
  ['ical', 3, ''],
  ['ator', 4, ''],
  ['izer', 4, ''],
  ['iser', 4, ''],
  ['able', 4, ''],
  ['ible', 4, ''],
  ['tion', 4, 't'],
  ['sion', 4, 's'],
  ['ally', 4, ''],
  ['ful', 4, ''],
  ['ity', 4, ''],
  ['ive', 5, ''],
  ['ize', 4, ''],
  ['ise', 5, ''],
  ['ate', 4, ''],
  ['ier', 4, 'y'],
  ['ic', 5, ''],
  ['al', 5, ''],
  ['ly', 4, ''],
  ['er', 4, ''],
  ['or', 4, ''],
];

/** Expects lower case; words with anything but `a` to `z` come back as they are. */
export function stem(word: string): string {
  const irregular = IRREGULAR.get(word);
  if (irregular !== undefined) return irregular;
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  return finish(withoutEnding(withoutInflection(withoutPlural(word))));
}

function withoutPlural(word: string): string {
  if (!word.endsWith('s') || /(?:ss|us|is)$/.test(word)) return word;
  if (word.endsWith('ies')) return word.length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1);
  if (/(?:ss|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return word.slice(0, -1);
}

function withoutInflection(word: string): string {
  for (const ending of ['ing', 'ed']) {
    const rest = word.slice(0, -ending.length);
    if (!word.endsWith(ending) || rest.length < 3 || !VOWEL.test(rest)) continue;
    if (ending === 'ed' && rest.endsWith('i')) return `${rest.slice(0, -1)}y`;
    // `generating` lost the `e` that the endings below know it by.
    return /(?:at|iz|iv)$/.test(rest) ? `${rest}e` : rest;
  }
  return word;
}

function withoutEnding(word: string): string {
  for (const [ending, rest, becomes] of ENDINGS) {
    if (word.length - ending.length >= rest && word.endsWith(ending)) {
      return word.slice(0, word.length - ending.length) + becomes;
    }
  }
  return word;
}

/** A silent `e`, a doubled consonant and `y` against `i` are the seams where the rules above leave differing ends. */
function finish(word: string): string {
  let end = word;
  if (end.length > 3 && end.endsWith('e')) end = end.slice(0, -1);
  if (end.length > 3 && /([b-df-hj-np-tv-z])\1$/.test(end)) end = end.slice(0, -1);
  if (end.length > 3 && end.endsWith('y')) end = `${end.slice(0, -1)}i`;
  return end;
}
