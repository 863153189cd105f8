/** What programs may ask about other servers. Every param is the program's word, and parsed as such. */
import { z } from 'zod';
import { STYLES, type StyleName } from '#bindings/signature';
import { AppError } from '#contracts/errors';
import { BOUNDS } from '#contracts/limits';
import type { ToolValue } from '#contracts/tool';
import type { LiveRun } from '#sessions/live-run';
import type { Session } from '#sessions/session';
import type { CallPlace } from './call-gate.ts';
import { callTool } from './call-tool.ts';
import { findServer, listServers, listTools } from './find-tools.ts';
import { grantsOf } from './run-grants.ts';
import { describeTools, searchTools } from './search-tools.ts';
import type { Upstreams } from './upstreams.ts';

export interface ToolsCall {
  readonly session: Session;
  readonly run: LiveRun;
  readonly params: unknown;
  /** Aborted when whoever asked has ended. */
  readonly gone: AbortSignal | undefined;
}

type ToolsMethod = (upstreams: Upstreams, call: ToolsCall) => Promise<unknown>;

const style = z.enum(Object.keys(STYLES) as [StyleName, ...StyleName[]]).default('python');
const callParams = z.object({
  server: z.string(),
  tool: z.string(),
  args: z.record(z.string(), z.unknown()).default({}),
  positional: z.array(z.unknown()).default([]),
  timeoutMs: z.number().positive().optional(),
  token: z.string().max(64).optional(),
  raw: z.boolean().default(false),
  style,
});
const searchParams = z.object({
  query: z.string().max(10_000),
  limit: z.number().optional(),
  server: z.string().optional(),
  detail: z.enum(['summary', 'full']).default('summary'),
  style,
});
const docsParams = z.object({ name: z.string(), style });
const listParams = z.object({ server: z.string() });
const onlyParams = z.object({ servers: z.array(z.string()).max(1000) });
const cancelParams = z.object({ token: z.string() });

export const TOOL_METHODS: ReadonlyMap<string, ToolsMethod> = new Map<string, ToolsMethod>([
  ['tools.call', callOne],
  [
    'tools.cancel',
    async (_upstreams, { run, params }) => {
      const { token } = parse(cancelParams, params, 'tools.cancel');
      const cancelled = new AppError('UPSTREAM_FAILED', 'The program cancelled the call');
      grantsOf(run).cancels.get(token)?.abort(cancelled);
      return null;
    },
  ],
  [
    'tools.search',
    async (upstreams, { run, params }) => {
      const { limit, server, ...rest } = parse(searchParams, params, 'mcp.search');
      return await searchTools(upstreams, grantsOf(run), { ...rest, limit, server });
    },
  ],
  [
    'tools.docs',
    async (upstreams, { run, params }) => {
      const wish = parse(docsParams, params, 'mcp.docs');
      return await describeTools(upstreams, grantsOf(run), wish.name, wish.style);
    },
  ],
  [
    'tools.list',
    async (upstreams, { run, params }) => {
      const { server } = parse(listParams, params, 'tools.list');
      return await listTools(upstreams, grantsOf(run), server);
    },
  ],
  ['servers.list', (upstreams, { run }) => listServers(upstreams, grantsOf(run))],
  ['only', narrow],
]);

export async function callOne(upstreams: Upstreams, call: ToolsCall): Promise<unknown> {
  const { args, raw, timeoutMs, token, ...rest } = parse(callParams, call.params, 'a tool call');
  const grants = grantsOf(call.run);
  if (grants.callsOpen >= BOUNDS.callsOpenMax) {
    throw new AppError('BUSY', `This run has ${grants.callsOpen} calls on their way`, {
      hint: 'Wait for some of them before making more',
    });
  }
  const wish = { ...rest, named: args, isRaw: raw, timeoutMs, token };
  grants.callsOpen += 1;
  try {
    const answer = await callTool(upstreams, placeOf(call), wish);
    return answer.result === undefined ? onWire(answer.value) : { kind: 'json', value: answer.result };
  } finally {
    grants.callsOpen -= 1;
  }
}

/** The text of a value that was read from text says everything; the other side reads it again, to its own numbers. */
function onWire(value: ToolValue): ToolValue | { kind: 'json'; text: string } {
  if (value.kind === 'list') return { kind: 'list', items: value.items.map(onWire) as ToolValue[] };
  return value.kind === 'json' && value.text !== undefined ? { kind: 'json', text: value.text } : value;
}

/** What was taken from a run does not come back. */
async function narrow(upstreams: Upstreams, { run, params }: ToolsCall): Promise<string[]> {
  const { servers } = parse(onlyParams, params, 'mcp.only');
  const grants = grantsOf(run);
  const found = await Promise.all(servers.map((name) => findServer(upstreams, grants, name)));
  grants.only = new Set(found.map(({ name }) => name));
  return [...grants.only];
}

/** The session's name where servers that each session has to itself are told apart. */
export function ownerOf({ isNamed, name }: Session): string {
  return `${isNamed ? 'named' : 'own'}:${name}`;
}

export function placeOf({ session, run, gone }: ToolsCall): CallPlace {
  return {
    grants: grantsOf(run),
    gone,
    session: ownerOf(session),
    sessionName: session.name,
    sessionKey: session,
    caller: run.spec.caller,
    run,
  };
}

export function parse<Schema extends z.ZodType>(schema: Schema, params: unknown, what: string): z.infer<Schema> {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue && issue.path.length > 0 ? `"${issue.path.join('.')}": ` : '';
  throw new AppError('INVALID_INPUT', `${what} was given something wrong: ${where}${issue?.message ?? 'unknown'}`);
}
