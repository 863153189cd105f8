/** One call of run_code: parse, run, answer; or send the caller away with what a server asks, and go on when it is back. */
import type { CallToolResult, Server, ServerContext } from '@modelcontextprotocol/server';
import { AppError } from '#contracts/errors';
import type { RunOutcome, SessionRef } from '#contracts/run';
import { countAnswer, countConnection } from '#engine/count-savings';
import type { EngineParts, Watcher } from '#engine/parts';
import { comeBack, followCode, type LeftRun } from '#engine/run-code';
import { parseRunInput } from './input.ts';
import { OpenQuestions, type WaitingRuns } from './open-questions.ts';
import { callerOf, isModern, modernPersonOf, personOf } from './person.ts';
import { followWithProgress } from './progress.ts';
import { type ResultMode, refusalResult, runResult } from './results.ts';
import type { DoorParts } from './server.ts';
import { instructionsFor, RUN_CODE_TOOL } from './tool.ts';

export interface RunCall {
  readonly own: SessionRef;
  readonly input: unknown;
  readonly ctx: ServerContext;
  readonly server: Server;
  readonly waiting: WaitingRuns;
  readonly watch: Pick<Watcher, 'signal' | 'answerMs'>;
  /** Answers that did not come with the request itself. */
  readonly back?: ComeBack | undefined;
}

/** A caller that was sent away with questions comes back. */
export interface ComeBack {
  readonly word: string;
  readonly answers: Readonly<Record<string, unknown>>;
}

/** Never throws: what goes wrong is an answer too. */
export async function callRunCode(parts: DoorParts, call: RunCall): Promise<CallToolResult> {
  const { ctx } = call;
  const mode = ctx.mcpReq._meta?.['sallyport/structured'] === true ? 'structured' : parts.outputMode;
  try {
    const answer = isModern(ctx) ? await followModern(parts, call) : await follow(parts, call);
    return 'sentAway' in answer ? answer.sentAway : await counted(parts, call, answer, mode);
  } catch (error) {
    if (!(error instanceof AppError)) parts.logger.error('A call failed inside Sallyport', { cause: error });
    return refusalResult(error, mode);
  }
}

/** With what the run saved, in its `_meta`. */
async function counted(
  parts: DoorParts,
  call: RunCall,
  outcome: RunOutcome,
  mode: ResultMode,
): Promise<CallToolResult> {
  const result = runResult(outcome, mode);
  const engine = await parts.engine();
  countConnection(engine, call.server, async () => [
    JSON.stringify(RUN_CODE_TOOL),
    instructionsFor(await parts.serverNames()),
  ]);
  const tokensSaved = await countAnswer(engine, outcome, {
    caller: callerOf(call.server, call.ctx),
    sent: () => JSON.stringify(call.input),
    returned: result.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])),
  });
  return tokensSaved === 0 ? result : runResult({ ...outcome, tokensSaved }, mode);
}

async function follow(parts: DoorParts, call: RunCall): Promise<RunOutcome> {
  const engine = await parts.engine();
  const watcher = { ...call.watch, person: personOf(call.server, call.ctx) };
  return (await watched(engine, call, watcher, start(parts, call, engine))) as RunOutcome;
}

interface SentAway {
  readonly sentAway: CallToolResult;
}

async function followModern(parts: DoorParts, call: RunCall): Promise<RunOutcome | SentAway> {
  const { ctx, waiting } = call;
  const engine = await parts.engine();
  const given = call.back ?? cameBack(ctx);
  const back = given && waiting.take(given.word);
  const questions = back?.questions ?? new OpenQuestions();
  if (given) questions.answer(given.answers);
  const watcher = { ...call.watch, person: modernPersonOf(call.server, ctx, questions), left: questions.asked };
  const left = back?.left;
  const outcome = await watched(
    engine,
    call,
    watcher,
    left ? (whole) => comeBack(left, whole) : start(parts, call, engine),
  );
  return 'run' in outcome ? { sentAway: waiting.sendAway({ left: outcome, questions }) } : outcome;
}

function cameBack({ mcpReq }: ServerContext): ComeBack | undefined {
  const word = mcpReq.requestState<unknown>();
  return typeof word === 'string' ? { word, answers: mcpReq.inputResponses ?? {} } : undefined;
}

type Follow = (watcher: Watcher) => Promise<RunOutcome | LeftRun>;

function start(parts: DoorParts, { input, own, server, ctx }: RunCall, engine: EngineParts): Follow {
  return async (watcher) => {
    const request = { ...parseRunInput(input, own, parts.limits), caller: callerOf(server, ctx) };
    return await followCode(engine, request, watcher);
  };
}

async function watched(engine: EngineParts, call: RunCall, watcher: Watcher, work: Follow) {
  if (watcher.person) engine.upstreams.abilities.note(watcher.person);
  using progress = followWithProgress(call.ctx);
  return await work({ ...watcher, ...(progress.onOutput ? { onOutput: progress.onOutput } : {}) });
}
