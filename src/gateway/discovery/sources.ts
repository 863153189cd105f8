/** Where servers are looked for, strongest first. */
import type { ClientDefinition, ConfigShape } from '#clients/client';
import { expandHome, inConfigHome, inHome, type Place, pathOf } from '#clients/place';
import { LOOSE, OWN } from '#clients/shape/standard';
import type { SourceScope } from './discovery.ts';
import { type FilePattern, patternOf } from './match-files.ts';

export interface SourceFile {
  readonly pattern: FilePattern;
  readonly client: string;
  readonly scope: SourceScope;
  readonly shape: ConfigShape;
  readonly bytesMax?: number | undefined;
  /** Somebody named this file: that it is missing is worth saying. */
  readonly isNamed?: boolean;
}

export interface SourceOptions {
  readonly place: Place;
  readonly clients: readonly ClientDefinition[];
  /** Our own config file. */
  readonly ownFile?: string | undefined;
  /** The value of MCP_SERVERS_CONFIG. */
  readonly serversConfig?: string | undefined;
  /** Undefined also when the project is not trusted. */
  readonly trustedProject?: string | undefined;
}

const ANY_CONFIG = '*.{json,jsonc,toml,yaml,yml}';

/** Of the project's files these come first, whatever client they belong to. */
const FIRST_PROJECT_FILES = ['.mcp.json', '.cursor/mcp.json', '.vscode/mcp.json'];

export function listSources(options: SourceOptions): SourceFile[] {
  const { place, clients, ownFile, serversConfig, trustedProject } = options;
  const own: SourceFile[] = ownFile
    ? [{ pattern: { base: ownFile, steps: [] }, client: 'sallyport', scope: 'own', shape: OWN }]
    : [];
  const named: SourceFile[] = serversConfig ? [namedSource(place, serversConfig)] : [];
  return [
    // Before our own config, as every variable is stronger than it.
    ...named,
    ...own,
    folderSource(inHome(place, 'MCPs'), 'folder'),
    folderSource(inConfigHome(place, 'mcp', 'servers'), 'folder'),
    ...clients.flatMap((client) => client.userFiles(place).map((file) => sourceOf(client, patternOf(file), 'user'))),
    ...(trustedProject ? projectSources(clients, trustedProject) : []),
  ];
}

function namedSource(place: Place, path: string): SourceFile {
  const base = pathOf(place).resolve(expandHome(place, path));
  return { pattern: { base, steps: [] }, client: 'mcp', scope: 'variable', shape: LOOSE, isNamed: true };
}

function projectSources(clients: readonly ClientDefinition[], project: string): SourceFile[] {
  const files = clients.flatMap((client) => client.projectFiles.map((file) => ({ client, file })));
  const sources = (wanted: typeof files) =>
    wanted.map(({ client, file }) => sourceOf(client, { base: project, steps: file.split('/') }, 'project'));
  const isFirst = ({ file }: { file: string }) => FIRST_PROJECT_FILES.includes(file);
  return [
    ...sources(files.filter(isFirst)),
    folderSource(project, 'project', 'mcp-servers'),
    ...sources(files.filter((file) => !isFirst(file))),
  ];
}

function folderSource(base: string, scope: SourceScope, ...steps: string[]): SourceFile {
  return { pattern: { base, steps: [...steps, ANY_CONFIG] }, client: 'mcp', scope, shape: LOOSE };
}

function sourceOf({ id, shape, bytesMax }: ClientDefinition, pattern: FilePattern, scope: SourceScope): SourceFile {
  // Only what the client itself writes may be large.
  return { pattern, client: id, scope, shape, bytesMax: scope === 'user' ? bytesMax : undefined };
}
