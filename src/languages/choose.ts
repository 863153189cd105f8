/** Which language a program is in: named, else told by its fence, `#!` line or file name, else the first in which it parses. */
import { AppError } from '#contracts/errors';
import type { LanguageDefinition } from './language.ts';
import type { ProgramText } from './program-text.ts';
import { findLanguage, LANGUAGES, languageOfFile, languageOfShebang, requireLanguage } from './registry.ts';

export interface LanguageClues {
  readonly named: string | undefined;
  readonly program: ProgramText;
  readonly fileName: string | undefined;
}

/** Parses without running. */
export type ParseCheck = (language: LanguageDefinition, code: string) => Promise<boolean>;

export async function chooseLanguage(clues: LanguageClues, parses: ParseCheck): Promise<LanguageDefinition> {
  if (clues.named !== undefined && clues.named !== '' && clues.named !== 'auto') return requireLanguage(clues.named);
  const told = languageFromClues(clues);
  if (told) return told;

  for (const language of LANGUAGES) {
    if (await parses(language, clues.program.code)) return language;
  }
  throw new AppError('LANGUAGE_UNKNOWN', 'Cannot tell which language this code is in: it parses in none', {
    hint: `Name it in "language": ${LANGUAGES.map((language) => language.id).join(', ')}`,
  });
}

function languageFromClues({ program, fileName }: LanguageClues): LanguageDefinition | undefined {
  const fenced = program.fenceTag === undefined ? undefined : findLanguage(program.fenceTag);
  return fenced ?? languageOfShebang(program.code) ?? (fileName === undefined ? undefined : languageOfFile(fileName));
}
