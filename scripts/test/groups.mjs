import { readdir } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join, relative, sep } from 'node:path';
import { ROOT } from '../setup/ready.mjs';

/**
 * The groups of tests in the order they run: first what fails fastest. A folder of `tests` that is not named here runs
 * at the end, alone; `live` needs the outside world and runs only when asked for by name.
 */
const KNOWN = ['architecture', 'unit', 'conformance', 'security', 'e2e', 'launcher', 'containers'];
const NOT_TESTS = ['support', 'golden', 'fixtures'];

/** Groups whose files run side by side. The others fill the machine by themselves, or count what is left on it. */
const PARALLEL = new Set(['architecture', 'unit', 'security', 'conformance', 'containers', 'e2e', 'gateway']);

export async function allGroups(wanted) {
  const folders = (await readdir(join(ROOT, 'tests'), { withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isDirectory() && !NOT_TESTS.includes(entry.name))
    .map((entry) => entry.name)
    .filter((name) => name !== 'live' || wanted.includes(name));
  return [...KNOWN, ...folders.filter((name) => !KNOWN.includes(name)).sort()];
}

export function folderOf(group) {
  return group === 'unit' ? 'src' : `tests/${group}`;
}

export function concurrencyOf(group) {
  return PARALLEL.has(group) ? cpus().length : 1;
}

/** Test files below a folder of the project, sorted, as absolute paths. */
export async function testFiles(folder, ending = /\.test\.(?:ts|mjs)$/) {
  const entries = await readdir(join(ROOT, folder), { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** A path as people write it: from the project's root, with slashes. */
export function shownPath(path) {
  return relative(ROOT, path).split(sep).join('/');
}
