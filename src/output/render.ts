/** RunOutcome → what the caller gets, in the mode that it asked for. Pure: the same outcome gives the same words. */
import type { AppError } from '#contracts/errors';
import type { RunImage, RunOutcome } from '#contracts/run';
import { isFailure, notesAlone, notesWithStderr } from './notes.ts';
import { streamText } from './stream.ts';
import { smallerAsToon } from './toon.ts';

export type OutputMode = 'compact' | 'toon' | 'json';

export interface RenderedRun {
  /** One or two texts. */
  readonly blocks: readonly string[];
  readonly images: readonly RunImage[];
}

export { isFailure };

export function renderRun(outcome: RunOutcome, mode: OutputMode): RenderedRun {
  if (mode === 'json') return { blocks: [JSON.stringify(renderStructured(outcome))], images: outcome.images };
  const stdout = streamText(outcome, 'stdout');
  const shown = mode === 'toon' ? (smallerAsToon(stdout) ?? stdout) : stdout;
  const notes = notesWithStderr(outcome);
  return { blocks: [shown === '' ? '(no output)' : shown, ...(notes === '' ? [] : [notes])], images: outcome.images };
}

/** What a terminal shows below the output. */
export function renderNotes(outcome: RunOutcome): string {
  return notesAlone(outcome);
}

export function renderStructured(outcome: RunOutcome) {
  return { ...runMeta(outcome), stdout: streamText(outcome, 'stdout'), stderr: streamText(outcome, 'stderr') };
}

/** `_meta["sallyport/run"]`. */
export function runMeta({ runId, session, backend, language, exitCode, signal, stop, error, durationMs, peakMemoryBytes, toolCalls, tokensSaved }: RunOutcome) {
  return { runId, session, backend, language, exitCode, signal, stop, error, durationMs, peakMemoryBytes, toolCalls, tokensSaved };
}

/** The same for a run that did not happen. */
export function refusalMeta({ code, message }: AppError) {
  return { runId: null, session: null, backend: null, language: null, exitCode: null, signal: null, stop: null, error: { code, message }, durationMs: 0, peakMemoryBytes: null, toolCalls: 0, tokensSaved: 0 };
}
