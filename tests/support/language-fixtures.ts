/**
 * What every language is tested with: `tests/fixtures/languages/ID/`.
 *
 *   program.X   does by its first argument `echo`, `big` or `loop`; a language without arguments has big.X and loop.X too
 *   broken.X    does not compile or parse; the line with the error has `oops` in it
 *   modules/    main.X and other files, printing "sum 5"
 *   expected.txt  what `echo` prints, where it is not what the others print
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../fixtures/languages', import.meta.url));

export interface LanguageFixture {
  /** Of `program`, `broken`, `big` or `loop`. */
  read(name: string): string | undefined;
  /** The line of `broken` with the error, from 1. */
  readonly errorLine: number;
  readonly expected: string | undefined;
  readonly modules: { readonly code: string; readonly files: Readonly<Record<string, string>> } | undefined;
}

export function languageFixture(id: string): LanguageFixture | undefined {
  const folder = join(ROOT, id);
  if (!existsSync(folder)) return undefined;
  const read = (name: string) => {
    const file = readdirSync(folder).find((entry) => entry.startsWith(`${name}.`));
    return file === undefined ? undefined : readFileSync(join(folder, file), 'utf8');
  };
  const broken = read('broken') ?? '';
  return {
    read,
    errorLine: broken.split('\n').findIndex((line) => line.includes('oops')) + 1,
    expected: read('expected'),
    modules: readModules(join(folder, 'modules')),
  };
}

function readModules(folder: string): LanguageFixture['modules'] {
  if (!existsSync(folder)) return undefined;
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const main = paths.find((path) => path.startsWith(join(folder, 'main.'))) as string;
  const others = paths.filter((path) => path !== main);
  return {
    code: readFileSync(main, 'utf8'),
    files: Object.fromEntries(others.map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')])),
  };
}
