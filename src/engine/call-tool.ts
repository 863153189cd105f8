/** One call of an upstream's tool: who is meant, whether the arguments fit, the call itself, its value. */
import { type GivenArguments, readArguments } from '#bindings/arguments';
import { isFields } from '#bindings/schema-type';
import { type StyleName, signatureOf } from '#bindings/signature';
import { AppError } from '#contracts/errors';
import type { ToolResult, ToolValue } from '#contracts/tool';
import type { CallPlace } from './call-gate.ts';
import { type AliasedTool, findServer, findTool } from './find-tools.ts';
import type { RunGrants } from './run-grants.ts';
import type { Upstreams } from './upstreams.ts';

export interface CallWish extends GivenArguments {
  readonly server: string;
  readonly tool: string;
  readonly timeoutMs: number | undefined;
  /** The program's own word for this call, with which it may take it back. */
  readonly token: string | undefined;
  /** The whole result instead of its value; then `isError` is no failure. */
  readonly isRaw: boolean;
  readonly style: StyleName;
}

export type CallAnswer =
  | { readonly value: ToolValue; readonly result?: undefined }
  | { readonly result: ToolResult; readonly value?: undefined };

export async function callTool(upstreams: Upstreams, place: CallPlace, wish: CallWish): Promise<CallAnswer> {
  const { grants, gone } = place;
  const end = new AbortController();
  const onGone = () => end.abort(gone?.reason);
  if (grants.signal.aborted) end.abort(grants.signal.reason);
  grants.open.add(end);
  if (wish.token !== undefined) grants.cancels.set(wish.token, end);
  gone?.addEventListener('abort', onGone, { once: true });
  try {
    return await call(upstreams, place, wish, end.signal);
  } finally {
    grants.open.delete(end);
    if (wish.token !== undefined) grants.cancels.delete(wish.token);
    gone?.removeEventListener('abort', onGone);
  }
}

async function call(upstreams: Upstreams, place: CallPlace, wish: CallWish, signal: AbortSignal): Promise<CallAnswer> {
  const { grants, session } = place;
  const tool = await findToolOrHelper(upstreams, grants, wish);
  const gateway = await upstreams.gateway();
  const options = { signal, ...(session !== undefined && { session }), caller: place };
  if ('help' in tool) {
    const facts = await upstreams.callFacts({ server: tool.server, name: wish.tool }, wish.named);
    return await upstreams.gate.pass(place, facts, signal, async () => {
      return { value: await tool.help(gateway, tool.server, wish, options) };
    });
  }
  const read = readArguments(tool.inputSchema, wish);
  if (!read.ok) throw argumentError(tool, read.problem, wish.style);
  const timeoutMs = wish.timeoutMs ?? secondsToMs(read.timeout);
  const callOptions = { ...options, raw: wish.isRaw, ...(timeoutMs !== undefined && { timeoutMs }) };
  const facts = await upstreams.callFacts(tool, read.args);
  const reply = await upstreams.gate.pass(place, facts, signal, async () => {
    if (place.run) place.run.toolCalls += 1;
    return await gateway.call(tool.server, tool.name, read.args, callOptions);
  });
  if (tool.outputSchema === undefined && !reply.result.isError)
    upstreams.learn(facts.fingerprint, tool.name, reply.value);
  return wish.isRaw ? { result: reply.result } : { value: reply.value };
}

interface HelperUse {
  readonly server: string;
  readonly help: ServerHelper;
}

type Gateway = Awaited<ReturnType<Upstreams['gateway']>>;
type ServerHelper = (
  gateway: Gateway,
  server: string,
  given: GivenArguments,
  options: { signal: AbortSignal },
) => Promise<ToolValue>;

/** What every server can do besides its tools, which win over these. */
const SERVER_HELPERS = new Map<string, ServerHelper>([
  ['resources', async (gateway, server, _given, options) => json(await gateway.resources(server, options))],
  [
    'resource_templates',
    async (gateway, server, _given, options) => json(await gateway.resourceTemplates(server, options)),
  ],
  ['prompts', async (gateway, server, _given, options) => json(await gateway.prompts(server, options))],
  [
    'read',
    async (gateway, server, given, options) => (await gateway.read(server, textArgument(given, 'uri'), options)).value,
  ],
  [
    'prompt',
    async (gateway, server, given, options) => {
      // Its own arguments may have a `name` too.
      const { name: _name, ...rest } = given.named;
      const own = given.positional.length > 0 ? given.named : rest;
      const args = { ...own, ...(given.positional[1] as object | undefined) };
      const texts = Object.fromEntries(Object.entries(args).map(([key, value]) => [key, String(value)]));
      return json(await gateway.prompt(server, textArgument(given, 'name'), texts, options));
    },
  ],
  ['list_tools', async (gateway, server, _given, options) => json(await gateway.tools(server, options))],
]);

async function findToolOrHelper(
  upstreams: Upstreams,
  grants: RunGrants,
  wish: CallWish,
): Promise<AliasedTool | HelperUse> {
  try {
    return await findTool(upstreams, grants, wish.server, wish.tool, wish.style);
  } catch (error) {
    const help = SERVER_HELPERS.get(wish.tool);
    if (!help || !(error instanceof AppError) || error.code !== 'TOOL_UNKNOWN') throw error;
    return { server: (await findServer(upstreams, grants, wish.server)).name, help };
  }
}

function json(value: unknown): ToolValue {
  return { kind: 'json', value };
}

function textArgument({ positional, named }: GivenArguments, name: string): string {
  const [first] = positional;
  const value = first === undefined ? named[name] : isFields(first) ? first[name] : first;
  if (typeof value !== 'string') throw new AppError('INVALID_INPUT', `Give the ${name} as text`);
  return value;
}

function argumentError(tool: AliasedTool, problem: string, style: StyleName): AppError {
  return new AppError('INVALID_INPUT', `${tool.server}.${tool.name}: ${problem}`, {
    hint: `Use ${signatureOf(tool, style)}`,
  });
}

function secondsToMs(seconds: unknown): number | undefined {
  if (seconds === undefined || seconds === null) return undefined;
  if (typeof seconds === 'number' && seconds > 0) return Math.ceil(seconds * 1000);
  throw new AppError('INVALID_INPUT', '`timeout` must be a number of seconds above zero');
}
