/** What there is to call: servers, tools by search, and everything about one of them, in words that can be called. */
import { aliasesOf, findName } from '#bindings/names';
import { firstSentence, hitLine, type StyleName, signatureOf, toolPage } from '#bindings/signature';
import { AppError } from '#contracts/errors';
import type { ToolInfo } from '#contracts/tool';
import type { DiscoveredServer } from '#gateway/discovery/discovery';
import type { FoundTool } from '#gateway/gateway';
import { didYouMean, nearestNames } from '#gateway/nearest';
import type { RunGrants } from './run-grants.ts';
import type { Upstreams } from './upstreams.ts';

export interface ToolHit {
  readonly server: string;
  readonly tool: string;
  readonly signature: string;
  readonly description: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
}

export interface ToolHits {
  readonly hits: readonly ToolHit[];
  /** The answer as it is printed. */
  readonly text: string;
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
}

const LIMIT_DEFAULT = 5;
const LIMIT_MAX = 50;
const NAMES_SHOWN = 12;
const ABOUT_CHARS_MAX = 100;

export interface SearchWish {
  readonly query: string;
  readonly limit: number | undefined;
  readonly server: string | undefined;
  readonly detail: 'summary' | 'full';
  readonly style: StyleName;
}

export async function searchTools(upstreams: Upstreams, grants: RunGrants, wish: SearchWish): Promise<ToolHits> {
  const gateway = await upstreams.gateway();
  const server = wish.server === undefined ? undefined : await findServer(upstreams, grants, wish.server);
  const limit = Math.min(Math.max(1, Math.trunc(wish.limit ?? LIMIT_DEFAULT)), LIMIT_MAX);
  // What the run may not use takes no place among the hits.
  const asked = grants.only === undefined ? limit : LIMIT_MAX;
  const found = await gateway.search(wish.query, { limit: asked, ...(server && { server: server.name }) });
  const may = (name: string) => grants.only?.has(name) ?? true;
  const tools = found.hits
    .map(({ tool }) => tool)
    .filter((tool) => may(tool.server))
    .slice(0, limit)
    .map(wholeTool);
  const notes = [
    ...found.nearestServers
      .filter((near) => may(near.server))
      .map((near) => `${near.server} (${near.tools} tools): ${near.description}`),
    ...notIndexedNote(found.notIndexed.filter((missing) => may(missing.server))),
  ];
  const page = (tool: ToolInfo) =>
    wish.detail === 'full' ? `${toolPage(tool, wish.style)}\n` : hitLine(tool, wish.style);
  const heading = tools.length === 0 ? [notes.length > 0 ? 'No tool fits well.' : 'No tool fits.'] : [];
  const unsure = found.nearestServers.length > 0 ? ['Nearest servers:'] : [];
  const [near, missing] = [notes.slice(0, found.nearestServers.length), notes.slice(found.nearestServers.length)];
  const lines = [...tools.map(page), ...heading, ...unsure, ...near, ...missing];
  return {
    hits: tools.map((tool) => describe(tool, wish)),
    text: upstreams.clean(lines.join('\n')),
  };
}

function wholeTool(tool: FoundTool['tool']): ToolInfo {
  return { inputSchema: {}, ...tool };
}

function describe(tool: ToolInfo, { style, detail }: SearchWish): ToolHit {
  return {
    server: tool.server,
    tool: tool.name,
    signature: signatureOf(tool, style),
    description: firstSentence(tool.description ?? tool.title ?? '', ABOUT_CHARS_MAX),
    ...(detail === 'full' && { inputSchema: tool.inputSchema, outputSchema: tool.outputSchema }),
  };
}

function notIndexedNote(missing: ReadonlyArray<{ server: string; why: string }>): string[] {
  if (missing.length === 0) return [];
  const shown = missing.slice(0, 3).map(({ server, why }) => `${server}: ${firstSentence(why, ABOUT_CHARS_MAX)}`);
  const more = missing.length > shown.length ? `; and ${missing.length - shown.length} more` : '';
  return [`Not searched: ${shown.join('; ')}${more}`];
}

/** The server that was meant. Throws with the nearest names when it is none that this run may use. */
export async function findServer(upstreams: Upstreams, grants: RunGrants, wanted: string): Promise<DiscoveredServer> {
  const all = await upstreams.servers();
  const servers = all.filter(({ name }) => grants.only?.has(name) ?? true);
  const names = servers.map(({ name }) => name);
  const name = findName(wanted, names);
  const server = servers.find((candidate) => candidate.name === name);
  if (server) return server;
  if (
    grants.only &&
    findName(
      wanted,
      all.map((candidate) => candidate.name),
    ) !== undefined
  ) {
    throw new AppError('UPSTREAM_UNKNOWN', `This run may not use server "${wanted}"`, {
      hint: `mcp.only() narrowed it to ${names.join(', ')}`,
    });
  }
  throw new AppError('UPSTREAM_UNKNOWN', `There is no server ${JSON.stringify(wanted.slice(0, 100))}`, {
    hint: [didYouMean(wanted, names), listNames('Servers', names)].filter(Boolean).join(' '),
  });
}

function listNames(what: string, names: readonly string[]): string {
  if (names.length === 0) return `${what}: none are configured`;
  return `${what}: ${names.slice(0, NAMES_SHOWN).join(', ')}${names.length > NAMES_SHOWN ? ', …' : ''}`;
}

export async function listServers(upstreams: Upstreams, grants: RunGrants): Promise<ServerLine[]> {
  const gateway = await upstreams.gateway();
  const all = (await gateway.status()).filter(
    ({ name, state }) => state !== 'disabled' && (grants.only?.has(name) ?? true),
  );
  const aliases = aliasesOf(all.map(({ name }) => name));
  return all.map((server) => ({
    name: server.name,
    alias: aliases.get(server.name) ?? server.name,
    description: upstreams.clean(firstSentence(server.description ?? '', ABOUT_CHARS_MAX)),
    state: server.state,
    transport: server.transport,
    tools: server.tools ?? null,
    error: server.lastError === undefined ? null : upstreams.clean(server.lastError),
  }));
}

/** The tools of one server, with schemas. */
export async function listTools(upstreams: Upstreams, grants: RunGrants, wanted: string): Promise<ToolInfo[]> {
  const { name } = await findServer(upstreams, grants, wanted);
  return (await upstreams.gateway()).tools(name, { signal: grants.signal });
}

/** About `server`, `server.tool` or, where only one server has it, `tool`. */
export async function describeTools(
  upstreams: Upstreams,
  grants: RunGrants,
  name: string,
  style: StyleName,
): Promise<string> {
  const servers = (await upstreams.servers()).map((server) => server.name);
  const text = name.replace(/^mcp\./, '').trim();
  const server = findName(text, servers);
  if (server !== undefined) {
    const tools = await listTools(upstreams, grants, server);
    return upstreams.clean(tools.map((tool) => hitLine(tool, style)).join('\n'));
  }
  const [owner, wanted] = splitName(text, servers);
  const tool =
    owner === undefined
      ? await findAnywhere(upstreams, grants, wanted)
      : await findTool(upstreams, grants, owner, wanted, style);
  return upstreams.clean(toolPage(tool, style));
}

/** Server names may have dots in them: the longest that fits is meant. */
function splitName(text: string, servers: readonly string[]): readonly [server: string | undefined, tool: string] {
  for (let at = text.lastIndexOf('.'); at > 0; at = text.lastIndexOf('.', at - 1)) {
    const server = findName(text.slice(0, at), servers);
    if (server !== undefined) return [server, text.slice(at + 1)];
  }
  const dot = text.indexOf('.');
  return dot > 0 ? [text.slice(0, dot), text.slice(dot + 1)] : [undefined, text];
}

async function findAnywhere(upstreams: Upstreams, grants: RunGrants, name: string): Promise<ToolInfo> {
  const { hits } = await (await upstreams.gateway()).search(name, { limit: LIMIT_DEFAULT });
  const tools = hits.map(({ tool }) => wholeTool(tool)).filter((tool) => grants.only?.has(tool.server) ?? true);
  const found = findName(
    name,
    tools.map((tool) => tool.name),
  );
  const tool = tools.find((candidate) => candidate.name === found);
  if (tool) return tool;
  throw new AppError('TOOL_UNKNOWN', `There is no server or tool ${JSON.stringify(name.slice(0, 100))}`, {
    hint:
      tools.length === 0
        ? 'mcp.servers() lists the servers'
        : `Nearest: ${tools.map((near) => `${near.server}.${near.name}`).join(', ')}`,
  });
}

/** The tool that was meant. Throws with the nearest one and its signature. */
export async function findTool(
  upstreams: Upstreams,
  grants: RunGrants,
  serverName: string,
  wanted: string,
  style: StyleName,
): Promise<ToolInfo> {
  const gateway = await upstreams.gateway();
  const server = await findServer(upstreams, grants, serverName);
  const options = { signal: grants.signal };
  const pick = (tools: readonly ToolInfo[]) => {
    const name = findName(
      wanted,
      tools.map((tool) => tool.name),
    );
    return tools.find((tool) => tool.name === name);
  };
  const known = pick(await gateway.tools(server.name, options));
  if (known) return known;
  // The list may be older than the tool: the server itself has the last word.
  const fresh = await gateway.tool(server.name, wanted, options).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'TOOL_UNKNOWN') return undefined;
    throw error;
  });
  if (fresh) return fresh;
  const tools = await gateway.tools(server.name, options);
  const [nearest] = nearestNames(
    wanted,
    tools.map((tool) => tool.name),
  );
  const near = pick(tools) ?? tools.find((tool) => tool.name === nearest);
  if (near && near.name === findName(wanted, [near.name])) return near;
  throw new AppError('TOOL_UNKNOWN', `Server "${server.name}" has no tool ${JSON.stringify(wanted.slice(0, 100))}`, {
    hint: near
      ? `Did you mean ${signatureOf(near, style)}`
      : listNames(
          'It has',
          tools.map((tool) => tool.name),
        ),
  });
}
