/** Which server and which tool a program means. Whoever names none that there is learns the nearest. */
import { aliasesOf, findName } from '#bindings/names';
import { firstSentence, hitLine, type StyleName, signatureOf } from '#bindings/signature';
import { AppError } from '#contracts/errors';
import type { ToolInfo } from '#contracts/tool';
import type { DiscoveredServer } from '#gateway/discovery/discovery';
import { didYouMean, nearestNames } from '#gateway/nearest';
import type { LearntType } from './learnt-types.ts';
import type { RunGrants } from './run-grants.ts';
import type { Upstreams } from './upstreams.ts';

/** A tool with the word that programs may write for its name. */
export interface AliasedTool extends ToolInfo {
  readonly alias: string;
  readonly learnt?: LearntType;
}

export interface ServerLine {
  readonly name: string;
  /** How a program may write the name. */
  readonly alias: string;
  readonly description: string;
  readonly state: string;
  readonly transport: string;
  readonly tools: number | null;
  readonly error: string | null;
  /** The folder that it works in, where its entry names one. */
  readonly cwd: string | null;
}

const NAMES_SHOWN = 12;
const ABOUT_CHARS_MAX = 100;

/** Whether the run may use the server. */
export function mayUse({ only }: RunGrants, server: string): boolean {
  return only?.has(server) ?? true;
}

/** Throws when it is none that this run may use. */
export async function findServer(upstreams: Upstreams, grants: RunGrants, wanted: string): Promise<DiscoveredServer> {
  const all = await upstreams.servers();
  const exact = all.find(({ name }) => name === wanted);
  if (exact && mayUse(grants, wanted)) return exact;
  const servers = all.filter(({ name }) => mayUse(grants, name));
  const names = namesOf(servers);
  const name = findName(wanted, names);
  const server = servers.find((candidate) => candidate.name === name);
  if (server) return server;
  const forbidden = findName(wanted, namesOf(all));
  if (forbidden !== undefined) {
    throw new AppError('UPSTREAM_UNKNOWN', `This run may not use server "${forbidden}"`, {
      hint: `mcp.only() narrowed it to ${names.join(', ')}`,
    });
  }
  throw new AppError('UPSTREAM_UNKNOWN', `There is no server ${JSON.stringify(wanted.slice(0, 100))}`, {
    hint: [didYouMean(wanted, names), listNames('Servers', names)].filter(Boolean).join(' '),
  });
}

/** Throws with the nearest tool and its signature. */
export async function findTool(
  upstreams: Upstreams,
  grants: RunGrants,
  serverName: string,
  wanted: string,
  style: StyleName,
): Promise<AliasedTool> {
  const { name: server } = await findServer(upstreams, grants, serverName);
  const known = pickTool(await toolsOf(upstreams, grants, server), wanted);
  if (known) return known;
  // The list may be older than the tool: the server itself has the last word.
  await askServer(upstreams, grants, server, wanted);
  const tools = await toolsOf(upstreams, grants, server);
  const fresh = pickTool(tools, wanted);
  if (fresh) return fresh;
  const [nearest] = nearestNames(wanted, namesOf(tools));
  const near = tools.find(({ name }) => name === nearest);
  throw new AppError('TOOL_UNKNOWN', `Server "${server}" has no tool ${JSON.stringify(wanted.slice(0, 100))}`, {
    hint: near ? `Did you mean ${signatureOf(near, style)}` : listNames('It has', namesOf(tools)),
  });
}

function pickTool(tools: readonly AliasedTool[], wanted: string): AliasedTool | undefined {
  const exact = tools.find((tool) => tool.name === wanted);
  if (exact) return exact;
  const name = findName(wanted, namesOf(tools));
  return tools.find((tool) => tool.name === name);
}

async function askServer(upstreams: Upstreams, { signal }: RunGrants, server: string, tool: string): Promise<void> {
  try {
    await (await upstreams.gateway()).tool(server, tool, { signal });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'TOOL_UNKNOWN') throw error;
  }
}

/** Lists with their aliases; the gateway gives the same list as long as it has not changed. */
const aliased = new WeakMap<readonly ToolInfo[], readonly AliasedTool[]>();

/** The tools of a server under its real name, with schemas. */
export async function toolsOf(
  upstreams: Upstreams,
  { signal }: RunGrants,
  server: string,
): Promise<readonly AliasedTool[]> {
  const tools = await (await upstreams.gateway()).tools(server, { signal });
  const known = aliased.get(tools);
  if (known) return known;
  const aliases = aliasesOf(namesOf(tools));
  const found = tools.map((tool) => ({ ...tool, alias: aliases.get(tool.name) ?? tool.name }));
  aliased.set(tools, found);
  return found;
}

/** For whoever reads about them: with what they were seen to answer. */
export async function withLearntTypes(upstreams: Upstreams, tools: readonly AliasedTool[]): Promise<AliasedTool[]> {
  return await Promise.all(
    tools.map(async (tool) => {
      const seen =
        tool.outputSchema === undefined ? (await upstreams.learntTypes(tool.server)).get(tool.name) : undefined;
      return seen ? { ...tool, learnt: seen } : tool;
    }),
  );
}

/** The tools of a server under any of its names. */
export async function listTools(
  upstreams: Upstreams,
  grants: RunGrants,
  wanted: string,
): Promise<readonly AliasedTool[]> {
  const { name } = await findServer(upstreams, grants, wanted);
  return await withLearntTypes(upstreams, await toolsOf(upstreams, grants, name));
}

export function toolLines(tools: readonly AliasedTool[], style: StyleName): string[] {
  return tools.map((tool) => hitLine(tool, style));
}

export async function listServers(upstreams: Upstreams, grants: RunGrants): Promise<ServerLine[]> {
  const status = await (await upstreams.gateway()).status();
  const usable = status.filter(({ name, state }) => state !== 'disabled' && mayUse(grants, name));
  const aliases = aliasesOf(namesOf(usable));
  const folders = new Map((await upstreams.servers()).map(({ name, entry }) => [name, entry.cwd]));
  return usable.map((server) => ({
    name: server.name,
    alias: aliases.get(server.name) ?? server.name,
    description: upstreams.clean(firstSentence(server.description ?? '', ABOUT_CHARS_MAX)),
    state: server.state,
    transport: server.transport,
    tools: server.tools ?? null,
    error: server.lastError === undefined ? null : upstreams.clean(server.lastError),
    cwd: folders.get(server.name) ?? null,
  }));
}

/** Whether a server of just this name has a tool of just this name; one that was never listed has none yet. */
export async function hasTool(upstreams: Upstreams, grants: RunGrants, server: string, tool: string): Promise<boolean> {
  const isThere = (await upstreams.servers()).some(({ name }) => name === server);
  if (!isThere || !mayUse(grants, server)) return false;
  return (await toolsOf(upstreams, grants, server)).some(({ name }) => name === tool);
}

function namesOf(things: ReadonlyArray<{ readonly name: string }>): string[] {
  return things.map(({ name }) => name);
}

function listNames(what: string, names: readonly string[]): string {
  if (names.length === 0) return `${what}: none`;
  return `${what}: ${names.slice(0, NAMES_SHOWN).join(', ')}${names.length > NAMES_SHOWN ? ', …' : ''}`;
}
