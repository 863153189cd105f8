/**
 * The names of the user's servers as they were when they were last looked for, for whoever cannot wait for a look.
 *
 * A connection begins with these names. Looking for servers in all the places where they may be takes longer than all the
 * rest of a start, so what was found is kept, with the files that it came from; as long as those are as they were, it
 * holds. Each set of places (config, project, home) has its own.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Discovery } from '#gateway/discovery/discovery';

const kept = z.object({ names: z.array(z.string()), files: z.record(z.string(), z.string()) });

/** Where servers are looked for, as far as it differs from one start to the next. */
export interface NamesPlace {
  readonly stateDir: string;
  readonly configFile: string;
  readonly project: string;
  readonly home: string;
  readonly serversConfig: string | undefined;
}

export function namesPlaceOf(
  { stateDir, configFile, project }: Pick<NamesPlace, 'stateDir' | 'configFile' | 'project'>,
  env: Readonly<Record<string, string | undefined>>,
): NamesPlace {
  return { stateDir, configFile, project, home: homedir(), serversConfig: env.MCP_SERVERS_CONFIG };
}

/** Undefined when nothing is kept, or when a file has changed since. */
export async function readKnownNames(place: NamesPlace): Promise<readonly string[] | undefined> {
  try {
    const { names, files } = kept.parse(JSON.parse(await readFile(fileOf(place), 'utf8')));
    const same = await Promise.all(Object.entries(files).map(async ([file, mark]) => (await markOf(file)) === mark));
    return same.every(Boolean) ? names : undefined;
  } catch {
    return undefined; // never kept, or not by this version
  }
}

/** `others` are files and folders where something may turn up, or that decide what counts. */
export async function keepKnownNames(
  place: NamesPlace,
  { servers, untrusted }: Discovery,
  others: readonly string[],
): Promise<void> {
  const found = [...servers.map(({ source }) => source.file), ...untrusted];
  const paths = [...new Set([place.configFile, ...found, ...others])];
  const marks = await Promise.all(paths.map(async (path) => [path, await markOf(path)] as const));
  const text = JSON.stringify({ names: namesOf(servers), files: Object.fromEntries(marks) });
  const file = fileOf(place);
  if ((await readFile(file, 'utf8').catch(() => '')) === text) return;
  await mkdir(dirname(file), { recursive: true });
  const scratch = `${file}.${process.pid}`;
  await writeFile(scratch, text, { mode: 0o600 });
  await rename(scratch, file);
}

export function namesOf(servers: Discovery['servers']): string[] {
  return servers.filter(({ state }) => state !== 'disabled').map(({ name }) => name);
}

function fileOf({ stateDir, ...place }: NamesPlace): string {
  const key = createHash('sha256').update(JSON.stringify(place)).digest('hex').slice(0, 16);
  return join(stateDir, 'cache', `server-names-${key}.json`);
}

/** Changes with the file, and with what is in a folder. */
async function markOf(path: string): Promise<string> {
  const seen = await stat(path).catch(() => undefined);
  return seen === undefined ? 'none' : `${seen.mtimeMs} ${seen.isDirectory() ? 'folder' : seen.size}`;
}
