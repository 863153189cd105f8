import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, posix, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Who may import whom. Read top to bottom, it is the house from the ground up: a line names only rooms above it. */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  inside: [],
  contracts: [],
  observability: ['contracts'],
  config: ['contracts'],
  languages: ['contracts'],
  output: ['contracts'],
  policy: ['contracts', 'observability'],
  bridge: ['contracts', 'observability'],
  sandbox: ['contracts', 'observability'],
  clients: ['contracts', 'observability'],
  egress: ['contracts', 'observability'],
  packages: ['contracts', 'observability'],
  library: ['contracts', 'observability'],
  savings: ['contracts', 'observability'],
  gateway: ['contracts', 'observability', 'clients'],
  bindings: ['contracts', 'bridge'],
  sessions: ['contracts', 'observability', 'bridge', 'sandbox'],
  engine: [
    'contracts',
    'observability',
    'languages',
    'policy',
    'bridge',
    'sandbox',
    'egress',
    'packages',
    'library',
    'savings',
    'gateway',
    'bindings',
    'sessions',
  ],
  protocol: ['contracts', 'observability', 'output', 'engine'],
  web: ['contracts', 'observability', 'output', 'engine'],
  cli: [
    'contracts',
    'observability',
    'output',
    'config',
    'policy',
    'clients',
    'savings',
    'sessions',
    'engine',
    'protocol',
    'web',
  ],
};

/** These wire the house together and may see all of it; no room sees them. */
export const WIRING = ['app.ts', 'main.ts', 'bench'];

/** One source file; `path` is below `src`, with slashes. Tests are left out: they may look into any room. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

export async function readSources(endings: RegExp): Promise<Source[]> {
  const src = join(ROOT, 'src');
  const names = await readdir(src, { recursive: true });
  const paths = names.map((name) => name.split(sep).join('/'));
  const wanted = paths.filter((path) => endings.test(path) && !/\.test\.m?[jt]s$/.test(path)).sort();
  return await Promise.all(wanted.map(async (path) => ({ path, text: await readFile(join(src, path), 'utf8') })));
}

/** The room of a path below `src`, or the file itself where it stands in no room. */
function roomOf(path: string): string {
  return path.split('/')[0] as string;
}

const STATIC_IMPORT = /^[ \t]*(?:import|export)\b[^'"`;]*?\bfrom\s*(['"])([^'"]+)\1/gm;
const BARE_IMPORT = /^[ \t]*import\s*(['"])([^'"]+)\1/gm;
const DYNAMIC_IMPORT = /\bimport\(\s*(['"`])([^'"`$]+)\1\s*[),]/g;

/** Every specifier that a file names: imported, re-exported, imported for its types, at the top or in passing. */
export function importsOf(text: string): string[] {
  return [STATIC_IMPORT, BARE_IMPORT, DYNAMIC_IMPORT].flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([, , specifier]) => specifier as string),
  );
}

/** Imports whose target is only known at run time; nobody could say which room they enter. */
export function countUnreadableImports(text: string): number {
  return [...text.matchAll(/\bimport\(/g)].length - [...text.matchAll(DYNAMIC_IMPORT)].length;
}

/** A sentence per import that the table does not allow. */
export function forbiddenImports({ path, text }: Source): string[] {
  const room = roomOf(path);
  if (WIRING.includes(room)) return [];
  const allowed = ROOMS[room];
  if (!allowed) return [`${path}: "${room}" is no room yet; give it a line in ROOMS`];
  const found = importsOf(text).flatMap((specifier) => {
    const problem = problemWith(specifier, path, allowed);
    return problem ? [`${path}: ${problem}`] : [];
  });
  // Behind the wall, importing what a program names is the craft itself.
  if (room !== 'inside' && countUnreadableImports(text) > 0) {
    found.push(`${path}: imports something that is only known at run time`);
  }
  return found;
}

function problemWith(specifier: string, importer: string, allowed: readonly string[]): string | undefined {
  const room = roomOf(importer);
  if (specifier.startsWith('.')) {
    const target = roomOf(posix.normalize(posix.join(posix.dirname(importer), specifier)));
    return target === room ? undefined : `leaves its room by a path (${specifier}); cross rooms by name (#room/file)`;
  }
  if (!specifier.startsWith('#')) return undefined; // an npm package or a node: module
  const target = roomOf(specifier.slice(1));
  if (target === room) return `names its own room (${specifier}); inside a room use a path`;
  return allowed.includes(target) ? undefined : `${room} may not import ${target} (${specifier})`;
}
