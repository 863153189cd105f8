/**
 * The names of the user's servers as they were when they were last looked for, for whoever cannot wait for a look.
 *
 * A connection begins with these names. Looking for servers in all the places where they may be takes longer than all the
 * rest of a start, so what was found is kept, with the files that it came from; as long as those are as they were, it holds.
 */
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Discovery } from '#gateway/discovery/discovery';

const kept = z.object({ names: z.array(z.string()), files: z.record(z.string(), z.string()) });

/** Undefined when nothing is kept, or when a file has changed since. */
export async function readKnownNames(stateDir: string): Promise<readonly string[] | undefined> {
  try {
    const { names, files } = kept.parse(JSON.parse(await readFile(fileOf(stateDir), 'utf8')));
    const same = await Promise.all(Object.entries(files).map(async ([file, mark]) => (await markOf(file)) === mark));
    return same.every(Boolean) ? names : undefined;
  } catch {
    return undefined; // never kept, or not by this version
  }
}

export async function keepKnownNames(stateDir: string, ownFile: string, { servers }: Discovery): Promise<void> {
  const paths = [...new Set([ownFile, ...servers.map(({ source }) => source.file)])];
  const marks = await Promise.all(paths.map(async (path) => [path, await markOf(path)] as const));
  const names = servers.filter(({ state }) => state !== 'disabled').map(({ name }) => name);
  const text = JSON.stringify({ names, files: Object.fromEntries(marks) });
  const file = fileOf(stateDir);
  if ((await readFile(file, 'utf8').catch(() => '')) === text) return;
  await mkdir(dirname(file), { recursive: true });
  const scratch = `${file}.${process.pid}`;
  await writeFile(scratch, text, { mode: 0o600 });
  await rename(scratch, file);
}

function fileOf(stateDir: string): string {
  return join(stateDir, 'cache', 'server-names.json');
}

/** Changes with the file. */
async function markOf(file: string): Promise<string> {
  const seen = await stat(file).catch(() => undefined);
  return seen === undefined ? 'none' : `${seen.mtimeMs} ${seen.size}`;
}
