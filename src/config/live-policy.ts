/** The rules of the config file as they are now: a person who was told which line to add need not start anything again. */
import { stat } from 'node:fs/promises';
import { messageOf } from '#contracts/errors';
import { type ConfigFile, readConfigFile } from './file.ts';

type Policy = NonNullable<ConfigFile['policy']>;

/** The file is looked at no more often than this. */
const LOOK_EVERY_MS = 500;

/** A file that cannot be read leaves the rules as they were, and is complained about once. */
export function livePolicy(file: string, first: Policy, complain: (problem: string) => void): () => Promise<Policy> {
  let rules = first;
  let mark: Promise<string> = markOf(file);
  let lookedAt = performance.now();
  let looking: Promise<Policy> | undefined;

  async function look(): Promise<Policy> {
    const now = await markOf(file);
    if (now === (await mark)) return rules;
    mark = Promise.resolve(now);
    try {
      rules = (await readConfigFile(file, { required: false })).policy ?? [];
    } catch (error) {
      complain(messageOf(error));
    }
    return rules;
  }

  return async () => {
    if (performance.now() - lookedAt < LOOK_EVERY_MS && !looking) return rules;
    lookedAt = performance.now();
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return await looking;
  };
}

/** Changes with the file. */
async function markOf(file: string): Promise<string> {
  const seen = await stat(file).catch(() => undefined); // no file, no rules
  return seen === undefined ? 'none' : `${seen.mtimeMs} ${seen.size} ${seen.ino}`;
}
