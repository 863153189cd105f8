/**
 * Compilers and interpreters that lie outside of the folders every sandbox has: /usr/local/go, a toolchain of rustup, a
 * folder in /opt. Each is resolved to its install prefix, and only that is shown, read-only. What is found here is only
 * shown, never started: which of them work is asked behind the wall.
 */
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { findOnPath } from './executables.ts';
import type { RuntimeAnswer, RuntimeOptions } from './runtime.ts';
import { mountedPrefixes } from './runtime-prefixes.ts';

/** What PATH has behind the wall in any case. */
const USUAL_FOLDERS = new Set(['/usr/local/bin', '/usr/bin', '/bin', '/usr/local/sbin', '/usr/sbin', '/sbin']);
/** Folders of a home that hold more than one program and its parts: keys, caches, data of others. */
const SHARED_FOLDERS = ['.local', '.cargo', '.config', '.cache', 'bin', '.npm', '.npm-global'];

export async function findCommandTools(options: RuntimeOptions): Promise<RuntimeAnswer> {
  const places = options.tools.flatMap((tool) => placeOf(tool, options) ?? []);
  const prefixes = new Map(places.flatMap((binary) => usablePrefixes(binary, options.home)));
  const folders = places.filter((binary) => isShown(binary, [...prefixes.keys()])).map((binary) => dirname(binary));
  return {
    found: true,
    runtime: {
      binary: options.node,
      version: `Node.js ${process.versions.node}`,
      prefixes: [...prefixes].map(([target, source]) => ({ source, target })),
      binFolders: [...new Set(folders)],
    },
  };
}

/** The true place of a tool that is not where every sandbox has it. */
function placeOf(tool: string, { path, home, overrides }: RuntimeOptions): string | undefined {
  const named = overrides[tool];
  const found = named !== undefined && existsSync(named) ? named : findOnPath(tool, path);
  if (found === undefined || USUAL_FOLDERS.has(dirname(found))) return undefined;
  return rustupPlace(found, home) ?? found;
}

/** rustup puts one program in the place of all tools; the real ones are in the toolchain that its settings name. */
function rustupPlace(binary: string, home: string): string | undefined {
  if (basename(realpathSync(binary)) !== 'rustup') return undefined;
  const toolchains = join(home, '.rustup', 'toolchains');
  const settings = join(home, '.rustup', 'settings.toml');
  if (!existsSync(toolchains)) return undefined;
  const wanted = existsSync(settings)
    ? /^default_toolchain = "([^"]+)"/m.exec(readFileSync(settings, 'utf8'))?.[1]
    : undefined;
  const names = readdirSync(toolchains);
  const name =
    names.find((entry) => entry === wanted) ??
    names.find((entry) => wanted && entry.startsWith(`${wanted}-`)) ??
    names[0];
  return name === undefined ? undefined : join(toolchains, name, 'bin', basename(binary));
}

function usablePrefixes(binary: string, home: string): Array<[target: string, source: string]> {
  const forbidden = ['/', '/home', '/root', home, ...SHARED_FOLDERS.map((name) => join(home, name))];
  return mountedPrefixes(binary, [])
    .filter(({ source }) => !forbidden.includes(source) && !home.startsWith(`${source}/`))
    .map(({ source, target }) => [target, source]);
}

function isShown(binary: string, targets: readonly string[]): boolean {
  return ['/usr', ...targets].some((folder) => binary.startsWith(`${folder}/`));
}
