/** What there is to call: tools by what they do, and everything about one of them, in words that can be called. */
import { findName } from '#bindings/names';
import { firstSentence, hitLine, type StyleName, signatureOf, toolPage } from '#bindings/signature';
import { AppError } from '#contracts/errors';
import type { FoundTools, Gateway } from '#gateway/gateway';
import {
  type AliasedTool,
  findServer,
  findTool,
  listTools,
  mayUse,
  toolLines,
  toolsOf,
  withLearntTypes,
} from './find-tools.ts';
import type { RunGrants } from './run-grants.ts';
import type { Upstreams } from './upstreams.ts';

export interface SearchWish {
  readonly query: string;
  readonly limit: number | undefined;
  readonly server: string | undefined;
  readonly detail: 'summary' | 'full';
  readonly style: StyleName;
}

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

const LIMIT_DEFAULT = 5;
const LIMIT_MAX = 50;
const ABOUT_CHARS_MAX = 100;
const NOTES_MAX = 3;
/** How long the first search waits for the lists of servers that were never listed. Later ones take what there is. */
const FIRST_LISTS_MS = 2_500;

export async function searchTools(upstreams: Upstreams, grants: RunGrants, wish: SearchWish): Promise<ToolHits> {
  const server = wish.server === undefined ? undefined : (await findServer(upstreams, grants, wish.server)).name;
  const limit = Math.min(Math.max(1, Math.trunc(wish.limit ?? LIMIT_DEFAULT)), LIMIT_MAX);
  // What the run may not use takes no place among the hits.
  const askedLimit = grants.only === undefined ? limit : LIMIT_MAX;
  const options = { limit: askedLimit, detail: 'summary' as const, ...(server !== undefined && { server }) };
  const found = await searchListed(await upstreams.gateway(), wish.query, options);
  const names = found.hits.map(({ tool }) => tool).filter((tool) => mayUse(grants, tool.server));
  const tools = await wholeTools(upstreams, grants, names.slice(0, limit));
  return {
    hits: tools.map((tool) => hitOf(tool, wish)),
    text: upstreams.clean([...tools.map((tool) => printed(tool, wish)), ...notesOf(found, grants, tools)].join('\n')),
  };
}

/** Gateways that have waited for their first lists. */
const waited = new WeakSet<Gateway>();

async function searchListed(
  gateway: Gateway,
  query: string,
  options: { limit: number; detail: 'summary'; server?: string },
): Promise<FoundTools> {
  const found = await gateway.search(query, options);
  if (found.notIndexed.length === 0 || waited.has(gateway)) return found;
  waited.add(gateway);
  const { promise: time, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, FIRST_LISTS_MS);
  await Promise.race([gateway.settled(), time]);
  clearTimeout(timer);
  return await gateway.search(query, options);
}

async function wholeTools(
  upstreams: Upstreams,
  grants: RunGrants,
  names: ReadonlyArray<{ readonly server: string; readonly name: string }>,
): Promise<AliasedTool[]> {
  const servers = [...new Set(names.map(({ server }) => server))];
  const lists = await Promise.all(servers.map((server) => toolsOf(upstreams, grants, server)));
  const all = lists.flat();
  const found = names.flatMap(
    ({ server, name }) => all.find((tool) => tool.server === server && tool.name === name) ?? [],
  );
  return await withLearntTypes(upstreams, found);
}

function printed(tool: AliasedTool, { detail, style }: SearchWish): string {
  return detail === 'full' ? `${toolPage(tool, style)}\n` : hitLine(tool, style);
}

function hitOf(tool: AliasedTool, { style, detail }: SearchWish): ToolHit {
  return {
    server: tool.server,
    tool: tool.name,
    signature: signatureOf(tool, style),
    description: firstSentence(tool.description ?? tool.title ?? '', ABOUT_CHARS_MAX),
    ...(detail === 'full' && { inputSchema: tool.inputSchema, outputSchema: tool.outputSchema }),
  };
}

/** Said below the hits: where else to look, and what could not be searched. */
function notesOf(
  { nearestServers, notIndexed }: FoundTools,
  grants: RunGrants,
  tools: readonly AliasedTool[],
): string[] {
  const near = nearestServers.filter(({ server }) => mayUse(grants, server)).slice(0, NOTES_MAX);
  const missing = notIndexed.filter(({ server }) => mayUse(grants, server));
  const notes = near.map(({ server, tools: count, description }) => `${server} (${count} tools): ${description}`);
  if (near.length > 0)
    notes.unshift(tools.length === 0 ? 'No tool fits. Nearest servers:' : 'Not sure. Nearest servers:');
  else if (tools.length === 0) notes.push('No tool fits.');
  if (missing.length > 0) {
    const shown = missing
      .slice(0, NOTES_MAX)
      .map(({ server, why }) => `${server}: ${firstSentence(why, ABOUT_CHARS_MAX)}`);
    const more = missing.length > shown.length ? `; and ${missing.length - shown.length} more` : '';
    notes.push(`Not searched: ${shown.join('; ')}${more}`);
  }
  return notes;
}

/** About `server`, `server.tool` or `tool`. */
export async function describeTools(
  upstreams: Upstreams,
  grants: RunGrants,
  name: string,
  style: StyleName,
): Promise<string> {
  const servers = (await upstreams.servers()).map((server) => server.name);
  const text = name.replace(/^mcp\./, '').trim();
  const server = findName(text, servers);
  if (server !== undefined)
    return upstreams.clean(toolLines(await listTools(upstreams, grants, server), style).join('\n'));
  const [owner, wanted] = splitName(text, servers);
  const tool =
    owner === undefined
      ? await findAnywhere(upstreams, grants, wanted)
      : await findTool(upstreams, grants, owner, wanted, style);
  const [whole = tool] = await withLearntTypes(upstreams, [tool]);
  return upstreams.clean(toolPage(whole, style));
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

async function findAnywhere(upstreams: Upstreams, grants: RunGrants, name: string): Promise<AliasedTool> {
  const { hits } = await (await upstreams.gateway()).search(name, { limit: LIMIT_DEFAULT, detail: 'summary' });
  const usable = hits.map(({ tool }) => tool).filter((tool) => mayUse(grants, tool.server));
  const tools = await wholeTools(upstreams, grants, usable);
  const found = findName(name, [...new Set(tools.map((tool) => tool.name))]);
  const tool = tools.find((candidate) => candidate.name === found);
  if (tool) return tool;
  throw new AppError('TOOL_UNKNOWN', `There is no server or tool ${JSON.stringify(name.slice(0, 100))}`, {
    hint:
      tools.length === 0
        ? 'mcp.servers() lists the servers'
        : `Nearest: ${tools.map((near) => `${near.server}.${near.name}`).join(', ')}`,
  });
}
