/** RunOutcome → what the caller gets, in the mode that it asked for. Pure: the same outcome gives the same words. */
import type { AppError } from '#contracts/errors';
import type { RunImage, RunOutcome } from '#contracts/run';
import { endLines, exitAndStopLines, isFailure, newsLines } from './notes.ts';
import { joinParts, streamText, wholeStream } from './stream.ts';
import { shorterAsToon } from './toon.ts';

export type OutputMode = 'compact' | 'toon' | 'json';

export interface RenderedRun {
  /** One or two texts. */
  readonly blocks: readonly string[];
  readonly images: readonly RunImage[];
}

export { isFailure };

export function renderRun(outcome: RunOutcome, mode: OutputMode): RenderedRun {
  switch (mode) {
    case 'compact':
      return rendered(outcome, streamText(outcome, 'stdout') || '(no output)', [
        ...endLines(outcome),
        ...newsLines(outcome),
      ]);
    case 'toon':
      return rendered(outcome, toonText(outcome) || '(no output)', [...endLines(outcome), ...newsLines(outcome)]);
    case 'json':
      return rendered(outcome, JSON.stringify(renderStructured(outcome)), newsLines(outcome));
    default:
      return mode satisfies never;
  }
}

function rendered({ images }: RunOutcome, first: string, notes: readonly string[]): RenderedRun {
  return { blocks: notes.length === 0 ? [first] : [first, notes.join('\n')], images };
}

function toonText(outcome: RunOutcome): string {
  const parts = wholeStream(outcome.stdout);
  if (!parts) return streamText(outcome, 'stdout');
  return joinParts({ printed: shorterAsToon(parts.printed), value: shorterAsToon(parts.value) });
}

/** What a terminal shows below the output. */
export function renderNotes(outcome: RunOutcome): string {
  return [...exitAndStopLines(outcome), ...newsLines(outcome)].join('\n');
}

export function renderStructured(outcome: RunOutcome) {
  return { ...runMeta(outcome), stdout: streamText(outcome, 'stdout'), stderr: streamText(outcome, 'stderr') };
}

/** `_meta["sallyport/run"]`. */
export function runMeta({
  runId,
  session,
  backend,
  language,
  exitCode,
  signal,
  stop,
  error,
  durationMs,
  peakMemoryBytes,
  toolCalls,
  tokensSaved,
}: RunOutcome) {
  return {
    runId,
    session,
    backend,
    language,
    exitCode,
    signal,
    stop,
    error,
    durationMs,
    peakMemoryBytes,
    toolCalls,
    tokensSaved,
  };
}

/** The same for a run that did not happen. */
export function refusalMeta({ code, message }: AppError) {
  return {
    runId: null,
    session: null,
    backend: null,
    language: null,
    exitCode: null,
    signal: null,
    stop: null,
    error: { code, message },
    durationMs: 0,
    peakMemoryBytes: null,
    toolCalls: 0,
    tokensSaved: 0,
  };
}
