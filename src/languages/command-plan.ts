/** From a program to what its kernel behind the wall has to do, as data. Pure. */
import type { InputFile } from '#contracts/run';
import type { CommandLanguage, CommandRuntime, NameRule } from './language.ts';

/** What `src/inside/command` reads. */
export interface CommandPlan {
  readonly entry: { readonly file: string; readonly isFixed: boolean };
  readonly runtimes: readonly CommandRuntime[];
  /** Files of this request that are compiled with the program. */
  readonly sources: readonly string[];
  readonly endings: readonly string[];
  readonly names: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly noise: readonly string[];
  readonly failure: string | undefined;
}

/** Of a session's memory; the rest is for what a runtime needs beside its heap. */
const HEAP_SHARE = 0.5;

export function commandPlan(
  language: CommandLanguage,
  program: { code: string; files: readonly InputFile[] },
  memoryBytes: number,
): CommandPlan {
  const { entry, runtimes, names = {}, sources = [], included = [] } = language;
  const code = program.code;
  const values = Object.entries(names).map(([name, rule]) => [name, applyRule(rule, code)] as const);
  return {
    entry: { file: entryFile(language, code), isFixed: entry.stem !== undefined },
    runtimes,
    sources: program.files.map(({ path }) => path).filter((path) => isSource(path, language)),
    endings: [...sources, ...included],
    names: { ...Object.fromEntries(values), heap: String(Math.floor((memoryBytes * HEAP_SHARE) / 1024 ** 2)) },
    env: language.env ?? {},
    noise: language.noise ?? [],
    failure: language.checkFailure,
  };
}

function isSource(path: string, { sources = [], sourcesBeside }: CommandLanguage): boolean {
  return sources.some((ending) => path.endsWith(ending)) && !(sourcesBeside && path.includes('/'));
}

function entryFile({ entry }: CommandLanguage, code: string): string {
  if (!entry.stem) return entry.file;
  return `${applyRule(entry.stem, code)}${entry.file.slice(entry.file.lastIndexOf('.'))}`;
}

function applyRule(rule: NameRule, code: string): string {
  for (const pattern of rule.find) {
    const match = new RegExp(pattern, 'imu').exec(code);
    if (!match) continue;
    const value = rule.use === undefined ? (match[1] ?? rule.otherwise) : rule.use.replace('$1', match[1] ?? '');
    return rule.lowerCase ? value.toLowerCase() : value;
  }
  return rule.otherwise;
}
