/**
 * Compiled results of this sandbox, by content: the steps, the program, its sources in the workspace and what else of
 * the workspace they pull in by name. Kept in scratch space, the least recently used go first.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { basename, join } from 'node:path';

const ROOT = join(process.env.TMPDIR ?? '/tmp', '.sallyport');
const RESULTS = join(ROOT, 'results');
const BYTES_MAX = 64 * 1024 ** 2;
const RESULTS_MAX = 32;
const SEEN_MAX = 2_000;
const PULLING = /include|embed|import|incbin|staticread|slurp|copy|require|template|resource|path/i;
const SOURCE_BYTES_MAX = 4 * 1024 ** 2;

export const SCRATCH = ROOT;

/** @returns {string | undefined} undefined where the workspace is too large to be looked through. */
export function contentKey(steps, entry, code, endings) {
  const hash = createHash('sha256').update(JSON.stringify([steps, entry, code]));
  const files = workspaceFiles();
  if (files === undefined) return undefined;
  const sources = files.filter((path) => path !== entry && endings.some((ending) => path.endsWith(ending)));
  const texts = new Map();
  for (const path of sources) {
    if (statSync(path).size > SOURCE_BYTES_MAX) return undefined;
    texts.set(path, readFileSync(path));
  }
  const pulling = [code, ...texts.values()].flatMap(pullingLines);
  for (const path of files) {
    const isPulledIn = path !== entry && pulling.some((line) => line.includes(basename(path)));
    if (isPulledIn && statSync(path).size > SOURCE_BYTES_MAX) return undefined;
    if (isPulledIn || texts.has(path)) hash.update(`\0${path}\0`).update(texts.get(path) ?? readFileSync(path));
  }
  return hash.digest('hex').slice(0, 32);
}

/** Lines that may make a compiler read another file. */
function pullingLines(text) {
  return String(text)
    .split('\n')
    .filter((line) => PULLING.test(line));
}

/** The folder of a kept result, or undefined. */
export function findResult(key) {
  const folder = join(RESULTS, key);
  if (!existsSync(folder)) return undefined;
  const now = new Date();
  utimesSync(folder, now, now);
  return folder;
}

/** An empty folder for a result that is about to be made. */
export function newResult(key) {
  const folder = join(RESULTS, key ?? 'once');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

export function dropResult(folder) {
  rmSync(folder, { recursive: true, force: true });
}

export function trimResults() {
  const results = readdirSync(RESULTS)
    .map((name) => join(RESULTS, name))
    .map((folder) => ({ folder, usedAt: statSync(folder).mtimeMs, bytes: folderBytes(folder) }))
    .sort((a, b) => b.usedAt - a.usedAt);
  let bytes = 0;
  for (const [index, result] of results.entries()) {
    bytes += result.bytes;
    // The newest stays whatever its size: it is about to run.
    if (index > 0 && (index >= RESULTS_MAX || bytes > BYTES_MAX)) dropResult(result.folder);
  }
}

function folderBytes(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** Plain files of the workspace, without hidden ones; undefined when there are too many. */
function workspaceFiles() {
  const files = [];
  const folders = ['.'];
  let seen = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (++seen > SEEN_MAX) return undefined;
      if (entry.name.startsWith('.')) continue;
      const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile()) files.push(path);
    }
  }
  return files.sort();
}
