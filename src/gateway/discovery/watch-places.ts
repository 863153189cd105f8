/** Which folders must be watched, and for which names in them, to see every change of the config files. */
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type FilePattern, matchFiles } from './match-files.ts';
import type { SourceFile } from './sources.ts';

/** Folder → names in it, or steps with a `*`. */
export type WatchPlaces = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Folders are watched, not files: editors put another file in the place of the old one, and a watched file would stay
 * the old one. Where a folder does not exist, the nearest one above it is watched for it.
 */
export async function placesToWatch(sources: ReadonlyArray<Pick<SourceFile, 'pattern'>>): Promise<WatchPlaces> {
  const places = new Map<string, Set<string>>();
  const isFolder = remember(async (path: string) => (await stat(path).catch(() => undefined))?.isDirectory() === true);
  const add = async (path: string): Promise<void> => {
    const folder = dirname(path);
    if (folder === path) return;
    if (!(await isFolder(folder))) return await add(folder);
    places.set(folder, (places.get(folder) ?? new Set()).add(basename(path)));
  };
  for (const { pattern } of sources) {
    for (const path of await pathsOfInterest(pattern)) await add(path);
  }
  return places;
}

/** The files, also behind links, and every step with a `*` on the way to them. */
async function pathsOfInterest({ base, steps }: FilePattern): Promise<string[]> {
  const files = await matchFiles({ base, steps });
  const targets = await Promise.all(files.map((file) => realpath(file).catch(() => file)));
  const open = await Promise.all(
    steps.map(async (step, index) => {
      const folders = step.includes('*') ? await matchFiles({ base, steps: steps.slice(0, index) }) : [];
      return folders.map((folder) => join(folder, step));
    }),
  );
  return [...new Set([...files, ...targets, ...open.flat()])];
}

function remember<T>(ask: (path: string) => Promise<T>): (path: string) => Promise<T> {
  const answers = new Map<string, Promise<T>>();
  return (path) => {
    const known = answers.get(path) ?? ask(path);
    answers.set(path, known);
    return known;
  };
}
