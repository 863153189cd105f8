/** Paths with a `*` in some of their steps, which stands for any text within the step. Links are followed. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Entries of a folder that are looked at for one `*`; a folder with more is no folder of configs. */
const ENTRIES_MAX = 1000;

export interface FilePattern {
  /** Taken as it is, even if a folder has a `*` in its name. */
  readonly base: string;
  readonly steps: readonly string[];
}

/** The base is what comes before the first step with a `*`. */
export function patternOf(path: string): FilePattern {
  const [base = '', rest] = path.split(/[\\/](?=[^\\/]*\*)(.*)/s);
  return { base, steps: rest === undefined ? [] : rest.split(/[\\/]/) };
}

/** The paths that fit, in order of their names; one without `*` fits whether it exists or not. */
export async function matchFiles({ base, steps }: FilePattern): Promise<string[]> {
  let paths = [base];
  for (const step of steps) {
    paths = step.includes('*') ? await matchStep(paths, step) : paths.map((path) => join(path, step));
  }
  return paths;
}

async function matchStep(folders: readonly string[], step: string): Promise<string[]> {
  const found = await Promise.all(
    folders.map(async (folder) => (await namesIn(folder)).filter(nameTest(step)).map((name) => join(folder, name))),
  );
  return found.flat();
}

/** Whether a name fits a step such as `*.json`. A `*` at the start does not fit hidden files. */
export function nameTest(step: string): (name: string) => boolean {
  const [start = '', end] = step.split('*');
  if (end === undefined) return (name) => name === step;
  return (name) =>
    name.length >= start.length + end.length &&
    name.startsWith(start) &&
    name.endsWith(end) &&
    (start !== '' || !name.startsWith('.'));
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort().slice(0, ENTRIES_MAX);
  } catch {
    return []; // no such folder, or not ours to look into: nothing is in it for us
  }
}
