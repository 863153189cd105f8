/** The second text block: what there is to say besides the output, as short labelled lines. */
import type { RunOutcome } from '#contracts/run';
import { networkHint } from './network-hint.ts';
import { streamText } from './stream.ts';
import { fileName, formatBytes, formatSeconds, oneLine } from './text.ts';

/** A program that tells of its own failure does so at the end, in few words. */
const LAST_WORDS = 1_000;

/** stderr, and what became of the run. */
export function endLines(outcome: RunOutcome): string[] {
  return [...stderrLines(outcome), ...exitLines(outcome), ...stopLines(outcome)];
}

/** What became of the run, for a reader who has seen stderr. */
export function exitAndStopLines(outcome: RunOutcome): string[] {
  return [...exitLines(outcome), ...stopLines(outcome)];
}

/** What is in no field of the structured result: the session, files, hints. */
export function newsLines(outcome: RunOutcome): string[] {
  return [
    ...runningLines(outcome),
    ...outcome.sessionNotes.map((note) => `session: ${oneLine(note)}`),
    ...fileLines(outcome),
    ...hints(outcome).map((hint) => `hint: ${hint.split('\n').map(oneLine).join('\n')}`),
  ];
}

/** Whether the program failed or was stopped: exactly when an answer is an error. */
export function isFailure(outcome: RunOutcome): boolean {
  return outcome.kind === 'finished' && (outcome.exitCode !== 0 || outcome.stop !== null);
}

function stderrLines(outcome: RunOutcome): string[] {
  const stderr = streamText(outcome, 'stderr').replace(/\n+$/, '');
  if (stderr.trim() === '') return [];
  return [stderr.includes('\n') ? `stderr:\n${stderr}` : `stderr: ${stderr}`];
}

function exitLines({ exitCode, signal }: RunOutcome): string[] {
  if (exitCode === null || (exitCode === 0 && signal === null)) return [];
  return [`exit code: ${exitCode}${signal === null ? '' : ` (${signal})`}`];
}

function stopLines({ stop, timeoutMs }: RunOutcome): string[] {
  if (stop === null) return [];
  return [`stopped: ${stop === 'timeout' ? `timeout after ${formatSeconds(timeoutMs)}` : stop}`];
}

function runningLines({ kind, durationMs }: RunOutcome): string[] {
  if (kind !== 'running') return [];
  return [
    `running: ${formatSeconds(durationMs)} so far; send empty code to this session to wait for the rest, with timeout 0 to stop it`,
  ];
}

function fileLines({ files, filesMore }: RunOutcome): string[] {
  if (files.length === 0) return [];
  const named = files.map(({ path, bytes }) => `${fileName(path)} (${formatBytes(bytes)})`).join(', ');
  return [`files: ${named}${filesMore > 0 ? `, and ${filesMore} more` : ''}`];
}

function hints(outcome: RunOutcome): string[] {
  const network =
    networkHint(streamText(outcome, 'stderr')) ?? networkHint(streamText(outcome, 'stdout').slice(-LAST_WORDS));
  return [...outcome.hints, ...(network === undefined ? [] : [network])];
}
