/** An entry as written → an entry that can be started or connected to, with what is missing and what must stay hidden. */
import { parseEnv } from 'node:util';
import type { ServerEntry } from '#clients/entry';
import { expandHome, type Place, pathOf } from '#clients/place';
import type { Need, Secret } from './discovery.ts';
import { readValueFile } from './read-config-file.ts';
import { type Findings, type ReferenceContext, resolveReferences, variable } from './references.ts';
import { distinctSecrets, entrySecrets } from './secrets.ts';

export interface ResolveContext {
  readonly place: Place;
  /** The file that the entry is from; relative paths start in its folder. */
  readonly file: string;
  readonly style: ReferenceContext['style'];
  /** The folder that the user works in. */
  readonly workspace: string | undefined;
  /** The entry belongs to the project: without a folder of its own it starts there. */
  readonly startsInWorkspace: boolean;
  readonly answer: (id: string) => string | undefined;
  readonly secretNames: readonly string[];
}

export interface ResolvedEntry {
  readonly entry: ServerEntry;
  readonly needs: readonly Need[];
  readonly secrets: readonly Secret[];
}

export function resolveEntry(entry: ServerEntry, context: ResolveContext): ResolvedEntry {
  const findings: Findings = { needs: [], secrets: [] };
  const references: ReferenceContext = {
    ...context,
    inputs: entry.inputs,
    fileText: (path) => readValueFile(absolute(path, context, folderOf(context))),
  };
  const text = (written: string) => resolveReferences(written, references, findings);
  const texts = (map: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(map).map(([name, written]) => [name, text(written)]));

  const base = (context.startsInWorkspace ? context.workspace : undefined) ?? folderOf(context);
  const cwd = entry.cwd === undefined ? undefined : absolute(text(entry.cwd), context, base);
  const startCwd = cwd ?? (context.startsInWorkspace && entry.command ? context.workspace : undefined);
  const envFile = entry.envFile === undefined ? undefined : absolute(text(entry.envFile), context, base);
  const resolved: ServerEntry = {
    ...entry,
    ...(entry.command === undefined ? {} : { command: expandHome(context.place, text(entry.command)) }),
    args: entry.args.map(text),
    env: { ...fileVariables(envFile, findings), ...hostVariables(entry.envNames, context.place), ...texts(entry.env) },
    ...(startCwd === undefined ? {} : { cwd: startCwd }),
    ...(envFile === undefined ? {} : { envFile }),
    ...(entry.url === undefined ? {} : { url: text(entry.url) }),
    headers: texts(entry.headers),
    ...(entry.roots === undefined ? {} : { roots: entry.roots.map((folder) => absolute(text(folder), context, base)) }),
    ...(entry.oauth === undefined ? {} : { oauth: { ...entry.oauth, ...secretsOf(entry.oauth, text) } }),
  };
  return {
    entry: resolved,
    needs: findings.needs,
    secrets: distinctSecrets([...findings.secrets, ...entrySecrets(resolved, context.secretNames)]),
  };
}

function secretsOf({ clientId, clientSecret }: NonNullable<ServerEntry['oauth']>, text: (written: string) => string) {
  return {
    ...(clientId === undefined ? {} : { clientId: text(clientId) }),
    ...(clientSecret === undefined ? {} : { clientSecret: text(clientSecret) }),
  };
}

function fileVariables(path: string | undefined, { needs }: Findings): Record<string, string> {
  if (path === undefined) return {};
  const content = readValueFile(path);
  if (content === undefined) needs.push({ kind: 'file', id: path, isSecret: false, options: [] });
  return Object.fromEntries(
    Object.entries(parseEnv(content ?? '')).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function hostVariables(names: readonly string[], place: Place): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = variable(place, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function absolute(path: string, { place }: ResolveContext, base: string): string {
  return pathOf(place).resolve(base, expandHome(place, path));
}

function folderOf({ file, place }: ResolveContext): string {
  return pathOf(place).dirname(file);
}
