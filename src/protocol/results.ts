/** RunOutcome or refusal → CallToolResult. */
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import { AppError, messageOf } from '#contracts/errors';
import type { RunOutcome } from '#contracts/run';
import { isFailure, type OutputMode, refusalMeta, renderRun, renderStructured, runMeta } from '#output/render';

/** `structured`: the text of the compact mode, and the whole as structured content beside it. */
export type ResultMode = OutputMode | 'structured';

const RUN_META = 'sallyport/run';

export function runResult(outcome: RunOutcome, mode: ResultMode): CallToolResult {
  const rendered = renderRun(outcome, mode === 'structured' ? 'compact' : mode);
  const content: ContentBlock[] = rendered.blocks.map((text) => ({ type: 'text', text }));
  for (const image of rendered.images) {
    content.push({ type: 'image', mimeType: image.mimeType, data: image.data.toString('base64') });
  }
  return {
    content,
    ...(isFailure(outcome) ? { isError: true } : {}),
    ...(mode === 'structured' || mode === 'json' ? { structuredContent: renderStructured(outcome) } : {}),
    _meta: { [RUN_META]: runMeta(outcome) },
  };
}

/** Nothing ran. The text tells the model what to do next; nothing of our inside leaks. */
export function refusalResult(error: unknown, mode: ResultMode): CallToolResult {
  const refusal =
    error instanceof AppError
      ? error
      : new AppError('INTERNAL', `Sallyport failed: ${messageOf(error)}`, { cause: error });
  const meta = refusalMeta(refusal);
  const text = `error: ${refusal.message}${refusal.hint ? `\nhint: ${refusal.hint}` : ''}`;
  return {
    content: [{ type: 'text', text }],
    isError: true,
    ...(mode === 'structured' || mode === 'json' ? { structuredContent: { ...meta, stdout: '', stderr: '' } } : {}),
    _meta: { [RUN_META]: meta },
  };
}
