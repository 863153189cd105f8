/**
 * Which language a program is in: named, else told by its fence, `#!` line, file name or modeline, else guessed from its
 * text. A guess that is not sure enough is a question to the caller, never a run; on a tie a live language in which the
 * text parses wins.
 */
import { AppError } from '#contracts/errors';
import { modelineOf } from './detect/modeline.ts';
import { type Candidate, CONFIDENT, guessSnippet, PARSED, type SnippetGuess } from './detect/snippet.ts';
import type { LanguageDefinition } from './language.ts';
import type { ProgramText } from './program-text.ts';
import { findLanguage, LANGUAGES, languageOfFile, languageOfShebang, requireLanguage } from './registry.ts';

export interface LanguageClues {
  readonly named: string | undefined;
  readonly program: ProgramText;
  readonly fileName: string | undefined;
  /** Paths of the files that came with the program. */
  readonly beside: readonly string[];
  /** Of the session's last run: a hint, not a rule. */
  readonly last: string | undefined;
}

export interface LanguageChecks {
  /** Whether the runtime is there. */
  readonly isInstalled: (language: LanguageDefinition) => Promise<boolean>;
  /** Parses without running. */
  readonly parses: (language: LanguageDefinition, code: string) => Promise<boolean>;
}

export interface ToldLanguage {
  readonly language: LanguageDefinition;
  readonly by: 'fence' | '#! line' | 'file name' | 'modeline';
}

/** A live language this near to the best candidate is as good as it. */
const TIE = 0.5;
/** Other live languages are asked too when they are not far behind. */
const FAR_BEHIND = 0.1;
/**
 * What a parse is worth. The guess has asked JavaScript's parser already. Almost every text parses as Bash, which
 * therefore needs some confidence of its own.
 */
const PARSE_WORTH: Readonly<Record<string, { gain: number; needs: number }>> = {
  python: { gain: Math.exp(PARSED), needs: 0 },
  bash: { gain: 1, needs: 0.3 },
};
const NO_WORTH = { gain: 1, needs: 0 };
const QUESTION_MAX = 3;
const EXEC_LINES = 10;
const EXEC = /^\s*exec\s+(\S+)\s[^\n]*\$\{?0/m;

export async function chooseLanguage(clues: LanguageClues, checks: LanguageChecks): Promise<LanguageDefinition> {
  if (clues.named !== undefined && clues.named !== '' && clues.named !== 'auto') return requireLanguage(clues.named);
  const told = toldLanguage(clues);
  if (told) return told.language;

  const guess = await guessSnippet(clues.program.code, { last: clues.last, beside: languageOfFiles(clues.beside) });
  const [best] = guess.candidates;
  if (best === undefined) throw question(guess);
  if (best.confidence >= CONFIDENT) return known(best);
  const chosen = (await chooseLive(clues.program.code, guess, checks)) ?? (await chooseInstalled(guess, checks));
  if (chosen) return chosen;
  throw question(guess);
}

/** What stands in the text or beside it and needs no guess. */
export function toldLanguage({
  program,
  fileName,
}: Pick<LanguageClues, 'program' | 'fileName'>): ToldLanguage | undefined {
  const fenced = program.fenceTag === undefined ? undefined : findLanguage(program.fenceTag);
  if (fenced) return { language: fenced, by: 'fence' };
  const shebang = shebangLanguage(program.code.trimStart());
  const file = fileName === undefined ? undefined : languageOfFile(fileName);
  // `#!/usr/bin/env node` stands above TypeScript too: of two languages of one interpreter the file name knows better.
  const isRefined =
    shebang !== undefined && file !== undefined && isLive(file) && file.interpreter === shebang.interpreter;
  if (shebang && !isRefined) return { language: shebang, by: '#! line' };
  if (file) return { language: file, by: 'file name' };
  const mode = modelineOf(program.code);
  const moded = mode === undefined ? undefined : findLanguage(mode);
  return moded && { language: moded, by: 'modeline' };
}

/** A shell's first lines may do nothing but start the right interpreter: `exec tclsh "$0" "$@"`. */
function shebangLanguage(code: string): LanguageDefinition | undefined {
  if (!code.startsWith('#!')) return undefined;
  const lines = code.split('\n', EXEC_LINES);
  const started = /sh\s*$/.test(lines[0] ?? '') ? EXEC.exec(lines.slice(1).join('\n'))?.[1] : undefined;
  return (started === undefined ? undefined : languageOfShebang(`#!${started}`)) ?? languageOfShebang(code);
}

/** A live language that is about as likely as any other, and parses the text. */
async function chooseLive(
  code: string,
  { candidates }: SnippetGuess,
  checks: LanguageChecks,
): Promise<LanguageDefinition | undefined> {
  const live: KnownCandidate[] = [];
  for (const candidate of candidates.flatMap(withDefinition)) {
    if (isLive(candidate.definition) && (await checks.isInstalled(candidate.definition))) live.push(candidate);
  }
  const first = live[0];
  if (first === undefined || first.confidence < TIE * (candidates[0]?.confidence ?? 0)) return undefined;
  return firstThatParses(
    code,
    live.filter(({ confidence }) => confidence >= FAR_BEHIND * first.confidence),
    checks,
  );
}

/** Only what can be run here is weighed; where that is little of what it could be, nothing is chosen. */
async function chooseInstalled(
  { candidates }: SnippetGuess,
  checks: LanguageChecks,
): Promise<LanguageDefinition | undefined> {
  const here: KnownCandidate[] = [];
  for (const candidate of candidates.flatMap(withDefinition)) {
    if (await checks.isInstalled(candidate.definition)) here.push(candidate);
  }
  const mass = here.reduce((sum, { confidence }) => sum + confidence, 0);
  const best = here[0];
  return best !== undefined && mass >= TIE && best.confidence / mass >= CONFIDENT ? best.definition : undefined;
}

type KnownCandidate = Candidate & { readonly definition: LanguageDefinition };

function withDefinition(candidate: Candidate): KnownCandidate[] {
  const definition = findLanguage(candidate.language);
  return definition ? [{ ...candidate, definition }] : [];
}

async function firstThatParses(
  code: string,
  live: readonly KnownCandidate[],
  checks: LanguageChecks,
): Promise<LanguageDefinition | undefined> {
  const weigh = ({ confidence, language }: Candidate) => confidence * (PARSE_WORTH[language] ?? NO_WORTH).gain;
  for (const { definition, language, confidence } of [...live].sort((a, b) => weigh(b) - weigh(a))) {
    if (confidence < (PARSE_WORTH[language] ?? NO_WORTH).needs) continue;
    if (await checks.parses(definition, code)) return definition;
  }
  return undefined;
}

function isLive({ interpreter }: LanguageDefinition): boolean {
  return interpreter === 'python' || interpreter === 'javascript' || interpreter === 'bash';
}

function languageOfFiles(paths: readonly string[]): string | undefined {
  const languages = new Set(paths.flatMap((path) => languageOfFile(path)?.id ?? []));
  return languages.size === 1 ? [...languages][0] : undefined;
}

function known({ language }: Candidate): LanguageDefinition {
  const definition = findLanguage(language);
  if (definition) return definition;
  throw new AppError('LANGUAGE_UNKNOWN', `This looks like ${language}, which cannot be run here`, {
    hint: `If it is not, name the right one in "language": ${LANGUAGES.map(({ id }) => id).join(', ')}`,
  });
}

function question({ candidates }: SnippetGuess): AppError {
  const [best] = candidates;
  const near = candidates.filter(({ confidence }) => confidence >= (best?.confidence ?? 0) / 10).slice(0, QUESTION_MAX);
  const names = near.map(({ language }) => findLanguage(language)?.name ?? language);
  return new AppError('LANGUAGE_UNKNOWN', `Which language is this code in? It could be ${orList(names)}`, {
    hint: `Nothing was run. Name it in "language": ${near.map(({ language }) => findLanguage(language)?.id ?? language).join(', ')} or another`,
  });
}

function orList(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}
