/** What a program may ask of the host. Everything else is refused by name. */
import { z } from 'zod';
import { AppError } from '#contracts/errors';
import { BOUNDS } from '#contracts/limits';
import type { SessionHomes } from '#sessions/home';
import type { SessionHouse } from '#sessions/house';
import type { HatchHandler } from '#sessions/session';
import type { CheckedProgram } from './check-code.ts';
import { hasTool } from './find-tools.ts';
import { callOne, parse, placeOf, TOOL_METHODS, type ToolsCall } from './hatch-tools.ts';
import { MANUAL } from './manual.ts';
import { grantsOf } from './run-grants.ts';
import { runShellCommand } from './shell-command.ts';
import type { Upstreams } from './upstreams.ts';

export interface HatchParts {
  readonly house: SessionHouse;
  readonly homes: SessionHomes;
  readonly upstreams: Upstreams;
  /** Parses without running. */
  readonly check: (code: string, language: string | undefined) => Promise<CheckedProgram>;
}

type HatchMethod = (parts: HatchParts, call: ToolsCall) => Promise<unknown>;

const checkParams = z.object({ code: z.string().max(BOUNDS.codeBytesMax), language: z.string().nullish() });
const commandParams = z.object({ words: z.array(z.string()), stdin: z.string().optional() });

const METHODS = new Map<string, HatchMethod>([
  ['help', async () => MANUAL],
  ['session.list', async ({ house, homes }) => listSessions(house, homes)],
  [
    'session.reset',
    async (_parts, { session }) => {
      await session.reset();
      return 'The interpreters start anew after this run; files stay.';
    },
  ],
  ['session.close', closeSession],
  [
    'check',
    async ({ check }, { params }) => {
      const { code, language } = parse(checkParams, params, 'mcp.check');
      return check(code, language ?? undefined);
    },
  ],
  [
    'shell',
    async (parts, call) => {
      const { words, stdin } = parse(commandParams, call.params, 'mcp');
      const ask = (method: string, params: unknown) => answer(parts, method, { ...call, params });
      return await runShellCommand(parts.upstreams, placeOf(call), words, stdin, ask);
    },
  ],
]);

/** The parts are asked for at each call: the house that hands calls to the hatch is itself one of them. */
export function createHatch(parts: () => HatchParts): HatchHandler {
  return (session, run, method, params, gone) => answer(parts(), method, { session, run, params, gone });
}

async function answer(parts: HatchParts, method: string, call: ToolsCall): Promise<unknown> {
  const toolMethod = TOOL_METHODS.get(method);
  if (toolMethod) return cleanly(parts.upstreams, (upstreams) => toolMethod(upstreams, call));
  const handler = METHODS.get(method);
  if (handler) return (await shadowingTool(parts, method, call)) ?? (await handler(parts, call));
  throw new AppError('INVALID_INPUT', `There is no "${method.slice(0, 80)}" behind the hatch`, {
    hint: 'mcp.help() lists what there is',
  });
}

const sessionParams = z.object({
  own: z.boolean().optional(),
  name: z.string().optional(),
  named: z.record(z.string(), z.unknown()).optional(),
});

/** Servers and their tools win over helpers of the same name: a server called `session` may have a tool `list`. */
async function shadowingTool({ upstreams }: HatchParts, method: string, call: ToolsCall): Promise<unknown> {
  const [server = '', tool] = method.split('.');
  const { success, data } = sessionParams.safeParse(call.params);
  if (!success || data.own || tool === undefined) return undefined;
  return await cleanly(upstreams, async () => {
    if (!(await hasTool(upstreams, grantsOf(call.run), server, tool))) return undefined;
    const positional = data.name === undefined ? [] : [data.name];
    return {
      tool: await callOne(upstreams, { ...call, params: { server, tool, positional, args: data.named ?? {} } }),
    };
  });
}

/** Secrets of a server's configuration stay on this side, whoever put them into a message. */
async function cleanly(upstreams: Upstreams, work: (upstreams: Upstreams) => Promise<unknown>): Promise<unknown> {
  try {
    return await work(upstreams);
  } catch (error) {
    throw upstreams.cleanError(error);
  }
}

/** Open sessions, and named ones that are only on disk. */
async function listSessions(house: SessionHouse, homes: SessionHomes): Promise<object[]> {
  const open = house.list();
  const onDisk = (await homes.list()).filter(
    ({ name }) => !open.some((session) => session.isNamed && session.name === name),
  );
  return [
    ...open.map((session) => ({
      name: session.name,
      state: session.isBusy ? 'running' : 'idle',
      languages: session.interpreters,
      backend: session.backend,
    })),
    ...onDisk.map(({ name, holderPid }) => ({
      name,
      state: holderPid === undefined ? 'on disk' : `held by process ${holderPid}`,
    })),
  ];
}

const closeParams = z.object({ name: z.string().nullish() }).nullish();

async function closeSession({ house }: HatchParts, { session, run, params }: ToolsCall): Promise<string> {
  const parsed = closeParams.safeParse(params);
  if (!parsed.success) throw new AppError('INVALID_INPUT', 'session.close takes the name of a session, or nothing');
  const name = parsed.data?.name ?? session.name;
  const target = name === session.name ? session : house.findByName(name);
  if (!target) {
    const names = house
      .all()
      .map((open) => open.name)
      .join(', ');
    throw new AppError('SESSION_UNKNOWN', `No open session "${name}"`, { hint: `Open sessions: ${names}` });
  }
  if (target !== session) {
    await house.end(target);
    return `Session "${name}" is closed.`;
  }
  // Its own session: the answer of this run comes first.
  void run.ended.then(() => house.end(session));
  return 'This session closes after this run.';
}
