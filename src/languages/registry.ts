/** Lookup of languages by name, file name and `#!` line. */
import { AppError } from '#contracts/errors';
import { bash } from './definitions/bash.ts';
import { javascript } from './definitions/javascript.ts';
import { python } from './definitions/python.ts';
import { typescript } from './definitions/typescript.ts';
import type { LanguageDefinition } from './language.ts';

/** In the order in which a program without a named language is tried. */
export const LANGUAGES: readonly LanguageDefinition[] = [python, javascript, typescript, bash];

const byName = new Map<string, LanguageDefinition>();
for (const language of LANGUAGES) {
  for (const name of [language.id, ...language.aliases]) byName.set(name, language);
}

export function findLanguage(name: string): LanguageDefinition | undefined {
  return byName.get(name.trim().toLowerCase());
}

/** The language of this name, or an error that names the nearest ones. */
export function requireLanguage(name: string): LanguageDefinition {
  const language = findLanguage(name);
  if (language) return language;
  throw new AppError('LANGUAGE_UNKNOWN', `Unknown language "${name.slice(0, 40)}"`, {
    hint: `Use one of: ${nearestNames(name).join(', ')}; or leave "language" out`,
  });
}

export function languageOfFile(fileName: string): LanguageDefinition | undefined {
  const lower = fileName.toLowerCase();
  return LANGUAGES.find((language) => language.extensions.some((extension) => lower.endsWith(extension)));
}

/** Reads `#!/usr/bin/env -S python3 -u` and its like. */
export function languageOfShebang(code: string): LanguageDefinition | undefined {
  const line = /^#!\s*(.*)$/m.exec(code.split('\n', 1)[0] ?? '')?.[1];
  if (line === undefined) return undefined;
  const programs = line.split(/\s+/).map((word) => (word.split('/').pop() ?? '').replace(/[\d.]+$/, ''));
  return LANGUAGES.find((language) =>
    programs.some((program) => language.shebangs.includes(program) || language.id === program),
  );
}

function nearestNames(name: string): string[] {
  const wanted = name.trim().toLowerCase();
  const distance = (language: LanguageDefinition) =>
    Math.min(...[language.id, ...language.aliases].map((known) => editDistance(wanted.slice(0, 40), known)));
  const ranked = LANGUAGES.map((language) => ({ id: language.id, distance: distance(language) }));
  return ranked.sort((a, b) => a.distance - b.distance).map((entry) => entry.id);
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
