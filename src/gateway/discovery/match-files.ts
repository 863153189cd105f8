/** Paths with `*` in some of their steps, which stands for any text within the step. Links are followed. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '#contracts/errors';

/** Files of one folder that are read; a folder with more is no folder of configs. */
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
    folders.map(async (folder) => (await namesIn(folder, step)).map((name) => join(folder, name))),
  );
  return found.flat();
}

/** Whether a name fits a step such as `*.json` or `*.{json,yaml}`. A `*` at the start does not fit hidden files. */
export function nameTest(step: string): (name: string) => boolean {
  const [start = '', rest] = step.split('*');
  if (rest === undefined) return (name) => name === step;
  const [stem = '', choices] = rest.split(/\{([^}]*)\}$/);
  const ends = (choices?.split(',') ?? ['']).map((choice) => `${stem}${choice}`);
  return (name) =>
    name.startsWith(start) &&
    ends.some((end) => name.length >= start.length + end.length && name.endsWith(end)) &&
    (start !== '' || !name.startsWith('.'));
}

async function namesIn(folder: string, step: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter(nameTest(step)).sort().slice(0, ENTRIES_MAX);
  } catch (error) {
    // What cannot be looked into is handed on as if it were a file: reading it will say why not.
    return errnoOf(error) === 'EACCES' ? [step] : [];
  }
}
