/** One call of run_code: parse, run, answer. */
import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { AppError } from '#contracts/errors';
import type { SessionRef } from '#contracts/run';
import type { Watcher } from '#engine/parts';
import { runCode } from '#engine/run-code';
import { parseRunInput } from './input.ts';
import { followWithProgress } from './progress.ts';
import { refusalResult, runResult } from './results.ts';
import type { DoorParts } from './server.ts';

/** Never throws: what goes wrong is an answer too. */
export async function callRunCode(
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
    const outcome = await runCode(await parts.engine(), request, {
      ...watch,
      ...(progress.onOutput ? { onOutput: progress.onOutput } : {}),
    });
    return runResult(outcome, mode);
  } catch (error) {
    if (!(error instanceof AppError)) parts.logger.error('A call failed inside Sallyport', { cause: error });
    return refusalResult(error, mode);
  }
}
