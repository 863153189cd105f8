/** Finds the servers that the user has, in all the places where clients keep them. Starts nothing and connects to nothing. */
import { realpath, stat } from 'node:fs/promises';
import type { ClientDefinition, ProjectPlace } from '#clients/client';
import type { Place } from '#clients/place';
import { type ReadServer, type ReadServers, readServers, readServersOf } from '#clients/read-servers';
import { CLIENTS } from '#clients/registry';
import { fingerprintOf } from './definition.ts';
import type { DiscoveredServer, Discovery, DiscoveryProblem, ServerSource, SkippedServer } from './discovery.ts';
import { matchFiles } from './match-files.ts';
import { mergeServers } from './merge.ts';
import { readConfigFile, UnreadableFile } from './read-config-file.ts';
import { resolveEntry } from './resolve-entry.ts';
import { selfReference } from './self-reference.ts';
import { listSources, type SourceFile } from './sources.ts';

export interface DiscoveryOptions {
  readonly place: Place;
  /** Our own config. Its servers are read from the file unless they are given. */
  readonly own?: { readonly file: string; readonly servers?: unknown } | undefined;
  /** The file that MCP_SERVERS_CONFIG names. */
  readonly serversConfig?: string | undefined;
  /** The folder that the user works in. */
  readonly project?: string | undefined;
  /** Whether the files of a project count; without it they do not. */
  readonly isTrusted?: ((folder: string) => boolean | Promise<boolean>) | undefined;
  /** What a person answered to an input of a file. */
  readonly answer?: ((id: string, file: string) => string | undefined) | undefined;
  /** Files whose change may change what is found, besides the config files. */
  readonly alsoWatch?: readonly string[] | undefined;
  /** Names of variables that a person called secret. */
  readonly secretNames?: readonly string[] | undefined;
  /** Let entries be that start Sallyport itself. */
  readonly allowSelf?: boolean | undefined;
  readonly selfRoot?: string | undefined;
  readonly selfUrls?: readonly string[] | undefined;
  readonly clients?: readonly ClientDefinition[] | undefined;
}

export async function discoverServers(options: DiscoveryOptions): Promise<Discovery> {
  const project = await projectPlace(options);
  const files = await listFiles(await discoverySources(options));
  const read = await Promise.all(files.map((file) => readFile(file, options, project)));

  const found: DiscoveredServer[] = [];
  const skipped: SkippedServer[] = [];
  const problems: DiscoveryProblem[] = [];
  for (const [index, { servers, problems: complaints }] of read.entries()) {
    const { path, source } = files[index] as ConfigFile;
    problems.push(...complaints.map((problem) => ({ file: path, ...problem })));
    for (const server of servers) {
      const resolved = resolveServer(server, path, source, options);
      if ('message' in resolved) problems.push(resolved);
      else if ('reason' in resolved) skipped.push(resolved);
      else found.push(resolved);
    }
  }
  const { servers, shadowed } = mergeServers(found);
  const needsInput = servers.filter(({ state }) => state === 'needs-input');
  return { servers, problems, shadowed, skipped, needsInput, untrusted: await untrustedFiles(options) };
}

/** Files of the project that would count if a person trusted it. */
async function untrustedFiles({ place, clients = CLIENTS, project, isTrusted }: DiscoveryOptions): Promise<string[]> {
  if (project === undefined || isTrusted === undefined || (await isTrusted(project))) return [];
  const all = listSources({ place, clients, trustedProject: project });
  const files = await listFiles(all.filter(({ scope }) => scope === 'project'));
  const existing = await Promise.all(
    files.map(async ({ path }) => ((await stat(path).catch(() => undefined))?.isFile() ? [path] : [])),
  );
  return existing.flat();
}

/** All places that are looked at, also those where nothing is yet. */
export async function discoverySources(options: DiscoveryOptions): Promise<SourceFile[]> {
  const { place, project, isTrusted, clients = CLIENTS, own, serversConfig } = options;
  const isOurs = project !== undefined && isTrusted !== undefined && (await isTrusted(project));
  return listSources({
    place,
    clients,
    ownFile: own?.file,
    serversConfig,
    trustedProject: isOurs ? project : undefined,
  });
}

interface ConfigFile {
  readonly path: string;
  readonly source: SourceFile;
}

/** Every file once, under the first source that has it. */
async function listFiles(sources: readonly SourceFile[]): Promise<ConfigFile[]> {
  const paths = await Promise.all(sources.map(({ pattern }) => matchFiles(pattern)));
  const files = new Map<string, ConfigFile>();
  for (const [index, source] of sources.entries()) {
    for (const path of paths[index] ?? []) if (!files.has(path)) files.set(path, { path, source });
  }
  return [...files.values()];
}

async function readFile(
  { path, source }: ConfigFile,
  { own }: DiscoveryOptions,
  project: ProjectPlace | undefined,
): Promise<ReadServers> {
  const { shape, bytesMax, isNamed } = source;
  if (source.scope === 'own' && own?.servers !== undefined) {
    return readServersOf({ mcpServers: own.servers }, { fileName: path, shape });
  }
  try {
    const text = await readConfigFile(path, bytesMax);
    if (text !== undefined) return await readServers(text, { fileName: path, shape, project });
    return {
      servers: [],
      problems: isNamed ? [{ message: 'Does not exist, though MCP_SERVERS_CONFIG names it' }] : [],
    };
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    return { servers: [], problems: [{ message: error.message }] };
  }
}

function resolveServer(
  server: ReadServer,
  file: string,
  { client, scope, shape }: SourceFile,
  options: DiscoveryOptions,
): DiscoveredServer | DiscoveryProblem | SkippedServer {
  const { name } = server.entry;
  const source: ServerSource = { client, file, scope: server.scope === 'local' ? 'local' : scope };
  const { entry, needs, secrets } = resolveEntry(server.entry, {
    place: options.place,
    file,
    style: shape.references,
    workspace: options.project,
    startsInWorkspace: source.scope === 'local' || source.scope === 'project',
    answer: (id) => options.answer?.(id, file),
    secretNames: options.secretNames ?? [],
  });
  const reason = options.allowSelf ? undefined : selfReference(entry, options);
  if (reason !== undefined) return { name, source, reason };
  const fingerprint = fingerprintOf(server.entry);
  if (entry.disabled) return { name, entry, source, state: 'disabled', needs: [], secrets, fingerprint };
  if (needs.length > 0) return { name, entry, source, state: 'needs-input', needs, secrets, fingerprint };
  if (entry.url !== undefined && !isHttp(entry.url)) {
    return { file, message: `Server "${name}": "url" must be an address with http:// or https://` };
  }
  return { name, entry, source, state: 'ready', needs, secrets, fingerprint };
}

function isHttp(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

async function projectPlace({ project, place }: DiscoveryOptions): Promise<ProjectPlace | undefined> {
  if (project === undefined) return undefined;
  const real = await realpath(project).catch(() => project);
  return { folders: [...new Set([project, real])], home: place.home, os: place.os };
}
