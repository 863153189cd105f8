/** Which language a program is in, by nothing but its text: the model, the markers, and a parser where one is at hand. */
import { MARKERS } from './markers.ts';
import { loadModel, type ModelScores } from './model.ts';
import { parsesAsJavaScript } from './parses-as-javascript.ts';

export interface Candidate {
  readonly language: string;
  /** 0 to 1; of all candidates together 1. */
  readonly confidence: number;
}

export interface SnippetGuess {
  /** The likeliest first. */
  readonly candidates: readonly Candidate[];
  /** What spoke for a candidate. */
  reasons(language: string): string[];
}

/** From here on a guess is run; chosen so that such a guess is wrong less than once in a hundred. */
export const CONFIDENT = 0.8;
/** What a reader would look at; the rest of a long program would only cost time. */
const CHARS_MAX = 8_000;
/** Longer lines are data, and patterns would be slow on them. */
const LINE_CHARS_MAX = 400;
/** A longer program is not parsed to tell JavaScript from TypeScript. */
const PARSE_CHARS_MAX = 60_000;
/** A parser's yes or no, in the scale of the markers. */
export const PARSED = 2.5;
/** How far from the top JavaScript may be for its parser to be asked. */
const PARSE_MARGIN = 6;
/** What the language of the session's last run adds. */
const SESSION_HINT = 0.7;
/** What the endings of the files that came with the program add. */
const FILE_HINT = 3;
/** Programs with fewer features say too much by each. */
const FEATURES_FULL = 25;
/** What callers send most, for programs too short to say much themselves. */
const USUAL: Readonly<Record<string, number>> = { python: 1.6, javascript: 0.8, bash: 0.8 };
const REASONS_MAX = 4;

export interface SnippetOptions {
  /** The language of the session's last run. */
  readonly last?: string | undefined;
  /** The language of the files that came with the program. */
  readonly beside?: string | undefined;
}

export async function guessSnippet(code: string, options: SnippetOptions = {}): Promise<SnippetGuess> {
  const model = await loadModel();
  const text = readable(code);
  const scored = model.score(text);
  const met = MARKERS.filter(({ pattern }) => pattern.test(text));
  const scores = new Map<string, number>();
  const lean = Math.min(1, Math.sqrt(scored.known / FEATURES_FULL));
  for (const [index, language] of model.languages.entries()) {
    const spoken = met.reduce((sum, { speaks }) => sum + (speaks[language] ?? 0), 0);
    const hinted = (language === options.last ? SESSION_HINT : 0) + (language === options.beside ? FILE_HINT : 0);
    scores.set(language, (scored.scores[index] ?? 0) * lean + spoken + hinted + (USUAL[language] ?? 0) * (1 - lean));
  }
  const parsed = await askParser(code, scores);
  return {
    candidates: toCandidates(scores),
    reasons: (language) => reasonsFor(language, met, parsed, scored, model.languages.indexOf(language)),
  };
}

function readable(code: string): string {
  const lines = code
    .trim()
    .slice(0, 4 * CHARS_MAX)
    .split('\n');
  return lines
    .map((line) => line.slice(0, LINE_CHARS_MAX))
    .join('\n')
    .slice(0, CHARS_MAX);
}

/** JavaScript and TypeScript differ by what a JavaScript parser refuses. */
async function askParser(code: string, scores: Map<string, number>): Promise<boolean | undefined> {
  const javascript = scores.get('javascript');
  const typescript = scores.get('typescript');
  const near = Math.max(...scores.values()) - PARSE_MARGIN;
  if (code.length > PARSE_CHARS_MAX) return undefined;
  if ((javascript ?? -Infinity) < near && (typescript ?? -Infinity) < near) return undefined;
  const parses = await parsesAsJavaScript(code);
  if (javascript !== undefined) scores.set('javascript', javascript + (parses ? PARSED : -2 * PARSED));
  if (typescript !== undefined) scores.set('typescript', typescript + (parses ? -PARSED : 0));
  return parses;
}

function toCandidates(scores: ReadonlyMap<string, number>): Candidate[] {
  const best = Math.max(...scores.values());
  const raised = [...scores].map(([language, score]) => ({ language, weight: Math.exp(score - best) }));
  const sum = raised.reduce((total, { weight }) => total + weight, 0);
  return raised
    .map(({ language, weight }) => ({ language, confidence: weight / sum }))
    .sort((a, b) => b.confidence - a.confidence);
}

function reasonsFor(
  language: string,
  met: typeof MARKERS,
  parsed: boolean | undefined,
  scored: ModelScores,
  index: number,
): string[] {
  const markers = met.filter(({ speaks }) => (speaks[language] ?? 0) > 0);
  const strongest = [...markers].sort((a, b) => (b.speaks[language] ?? 0) - (a.speaks[language] ?? 0));
  const says = strongest.map(({ says: text }) => text);
  if (language === 'javascript' && parsed === true) says.unshift('parses as JavaScript');
  if (language === 'typescript' && parsed === false) says.unshift('does not parse as JavaScript');
  return [...says, ...scored.reasons(index, REASONS_MAX).map((feature) => JSON.stringify(feature))].slice(
    0,
    REASONS_MAX,
  );
}
