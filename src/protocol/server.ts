/**
 * The MCP face: one tool, a few resources. The same instance serves both protocol eras; `serveStdio` and the HTTP
 * handler decide which.
 *
 * Callers start many servers and wait for all their lists, so what a call needs is loaded after the first list, not
 * before it.
 */
import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import type { Limits } from '#contracts/limits';
import type { SessionRef } from '#contracts/run';
import type { EngineParts } from '#engine/parts';
import type { Logger } from '#observability/logger';
import type { OutputMode } from '#output/render';
import type { ComeBack, RunCall } from './call-run-code.ts';
import { WaitingRuns } from './open-questions.ts';
import { listResources, listResourceTemplates } from './resource-list.ts';
import { declaresTasks, RunTasks, TASKS_CAPABILITY } from './tasks.ts';
import { instructionsFor, RUN_CODE_TOOL } from './tool.ts';

export interface DoorParts {
  /** Built at the first use. */
  readonly engine: () => Promise<EngineParts>;
  /** Of the servers that programs can reach, for whoever connects. */
  readonly serverNames: () => Promise<readonly string[]>;
  readonly limits: Limits;
  readonly outputMode: OutputMode;
  readonly version: string;
  readonly logger: Logger;
  /** What `sallyport://capabilities` tells. */
  readonly capabilities: () => Promise<unknown>;
  /** What `sallyport://languages` tells. */
  readonly languages: () => Promise<unknown>;
}

const DAY_MS = 24 * 3_600_000;

export async function createServer(parts: DoorParts, own: SessionRef): Promise<Server> {
  const server = new Server(
    { name: 'sallyport', version: parts.version },
    {
      capabilities: { tools: {}, resources: {}, ...TASKS_CAPABILITY },
      instructions: instructionsFor(await parts.serverNames()),
      cacheHints: { 'tools/list': { ttlMs: DAY_MS, cacheScope: 'public' } },
    },
  );
  const tasks = new RunTasks();
  tasks.serve(server);
  const waiting = new WaitingRuns();
  // Kept: the module loader takes a while to find what it has loaded already.
  let loading: Promise<typeof import('./call-run-code.ts')> | undefined;
  server.setRequestHandler('tools/list', () => ({ tools: [RUN_CODE_TOOL] as never }));
  server.setRequestHandler('tools/call', async (request, ctx) => {
    const { name, arguments: input } = request.params;
    if (name !== RUN_CODE_TOOL.name) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool "${name}"; there is only run_code`);
    }
    loading ??= import('./call-run-code.ts');
    const { callRunCode } = await loading;
    const { answerMs } = parts.limits;
    const call = (watch: RunCall['watch'], back?: ComeBack) =>
      callRunCode(parts, { own, input, ctx, server, waiting, watch, back });
    if (!declaresTasks(ctx)) return call({ signal: ctx.mcpReq.signal, answerMs });
    return tasks.answer((signal, back) => call({ signal, answerMs: undefined }, back), ctx.mcpReq.signal, answerMs);
  });
  server.setRequestHandler('resources/list', () => listResources());
  server.setRequestHandler('resources/templates/list', () => listResourceTemplates());
  server.setRequestHandler('resources/read', async (request) => {
    const { readResource } = await import('./resources.ts');
    return readResource(parts, request.params.uri);
  });
  return server;
}
