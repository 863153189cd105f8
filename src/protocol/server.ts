/**
 * The MCP face: one tool, a few resources. The same instance serves both protocol eras; `serveStdio` and the HTTP
 * handler decide which.
 */
import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { AppError } from '#contracts/errors';
import type { Limits } from '#contracts/limits';
import type { SessionRef } from '#contracts/run';
import type { EngineParts, Watcher } from '#engine/parts';
import { runCode } from '#engine/run-code';
import type { Logger } from '#observability/logger';
import type { OutputMode } from '#output/render';
import { parseRunInput } from './input.ts';
import { followWithProgress } from './progress.ts';
import { listResources, listResourceTemplates, readResource } from './resources.ts';
import { refusalResult, runResult } from './results.ts';
import { declaresTasks, RunTasks, TASKS_CAPABILITY } from './tasks.ts';
import { INSTRUCTIONS, RUN_CODE_TOOL } from './tool.ts';

export interface DoorParts {
  readonly engine: EngineParts;
  readonly limits: Limits;
  readonly outputMode: OutputMode;
  readonly version: string;
  readonly logger: Logger;
  /** What `sallyport://capabilities` tells. */
  readonly capabilities: () => Promise<unknown>;
}

const DAY_MS = 24 * 3_600_000;

export function createServer(parts: DoorParts, own: SessionRef): Server {
  const server = new Server(
    { name: 'sallyport', version: parts.version },
    {
      capabilities: { tools: {}, resources: {}, ...TASKS_CAPABILITY },
      instructions: INSTRUCTIONS,
      cacheHints: { 'tools/list': { ttlMs: DAY_MS, cacheScope: 'public' } },
    },
  );
  const tasks = new RunTasks();
  tasks.serve(server);
  server.setRequestHandler('tools/list', () => ({ tools: [RUN_CODE_TOOL] as never }));
  server.setRequestHandler('tools/call', async (request, ctx) => {
    const { name, arguments: input } = request.params;
    if (name !== RUN_CODE_TOOL.name) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool "${name}"; there is only run_code`);
    }
    const { answerMs } = parts.limits;
    if (!declaresTasks(ctx)) return callRunCode(parts, own, input, ctx, { signal: ctx.mcpReq.signal, answerMs });
    const run = (signal: AbortSignal) => callRunCode(parts, own, input, ctx, { signal, answerMs: undefined });
    return tasks.answer(run, ctx.mcpReq.signal, answerMs);
  });
  server.setRequestHandler('resources/list', () => listResources(parts));
  server.setRequestHandler('resources/templates/list', () => listResourceTemplates());
  server.setRequestHandler('resources/read', (request) => readResource(parts, request.params.uri));
  return server;
}

/** Never throws: what goes wrong is an answer too. */
async function callRunCode(
  parts: DoorParts,
  own: SessionRef,
  input: unknown,
  ctx: ServerContext,
  watch: Omit<Watcher, 'onOutput'>,
): Promise<CallToolResult> {
  const mode = ctx.mcpReq._meta?.['sallyport/structured'] === true ? 'structured' : parts.outputMode;
  try {
    const request = parseRunInput(input, own, parts.limits);
    using progress = followWithProgress(ctx);
    const outcome = await runCode(parts.engine, request, {
      ...watch,
      ...(progress.onOutput ? { onOutput: progress.onOutput } : {}),
    });
    return runResult(outcome, mode);
  } catch (error) {
    if (!(error instanceof AppError)) parts.logger.error('A call failed inside Sallyport', { cause: error });
    return refusalResult(error, mode);
  }
}
