/** Where the parts of this wall are on the host: all of them come with npm packages, none from the system. */
import { accessSync, chmodSync, constants, existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { AppError, errnoOf } from '#contracts/errors';
import { insidePath } from '../../inside-files.ts';

export interface EmbeddedRuntime {
  /** The Deno binary. */
  readonly deno: string;
  readonly denoVersion: string;
  /** Folder of the Pyodide package. */
  readonly pyodide: string;
  readonly pyodideVersion: string;
  /** Folder of the built `src/inside/embedded`. */
  readonly inside: string;
  /** Folders with our Python packages. */
  readonly library: readonly string[];
}

export interface RuntimePlace {
  /** Folder with what is built of `src/inside`. */
  readonly inside?: string;
}

/** Throws AppError SANDBOX_UNAVAILABLE, with the command that helps. */
export function findRuntime(place: RuntimePlace = {}): EmbeddedRuntime {
  const require = createRequire(import.meta.url);
  const inside = place.inside ?? insidePath();
  const main = join(inside, 'embedded', 'main.mjs');
  if (!existsSync(main)) throw missing('Its own files are not built', 'Run npm run build');
  const denoPackage = packageFolder(require, 'deno');
  const pyodide = packageFolder(require, 'pyodide');
  return {
    ...findDeno(denoPackage),
    pyodide,
    pyodideVersion: versionOf(pyodide),
    inside: realpathSync(join(inside, 'embedded')),
    library: [realpathSync(join(inside, 'python')), realpathSync(join(inside, 'embedded', 'python'))],
  };
}

/** The binary is in a package of its own for each system, which the package `deno` depends on. */
function findDeno(denoPackage: string): { deno: string; denoVersion: string } {
  const name = `@deno/${process.platform}-${process.arch}${process.platform === 'linux' ? '-glibc' : ''}`;
  const folder = packageFolder(createRequire(join(denoPackage, 'package.json')), name);
  const deno = join(folder, process.platform === 'win32' ? 'deno.exe' : 'deno');
  makeExecutable(deno);
  return { deno, denoVersion: versionOf(folder) };
}

/** npm may leave the mark off when install scripts are switched off. */
function makeExecutable(file: string): void {
  try {
    accessSync(file, constants.X_OK);
  } catch (error) {
    if (errnoOf(error) !== 'EACCES') throw missing(`"${file}" is missing`, 'Run npm ci');
    chmodSync(file, 0o755);
  }
}

function packageFolder(require: NodeJS.Require, name: string): string {
  try {
    return realpathSync(dirname(require.resolve(`${name}/package.json`)));
  } catch (cause) {
    throw missing(`The npm package ${name} is not installed`, 'Run npm ci (with optional dependencies)', cause);
  }
}

function versionOf(folder: string): string {
  return String((JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: unknown }).version);
}

function missing(message: string, hint: string, cause?: unknown): AppError {
  return new AppError('SANDBOX_UNAVAILABLE', message, { hint, cause });
}
