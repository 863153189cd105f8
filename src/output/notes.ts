/** The second text block: what there is to say besides the output, as short labelled lines. */
import type { RunOutcome } from '#contracts/run';
import { networkHint } from './network-hint.ts';
import { streamText } from './stream.ts';
import { formatBytes, formatSeconds } from './text.ts';

/** All notes with stderr among them, as a model reads them. Empty when there is nothing to say. */
export function notesWithStderr(outcome: RunOutcome): string {
  const stderr = streamText(outcome, 'stderr').trimEnd();
  return [...stderrLines(stderr), ...noteLines(outcome, stderr)].join('\n');
}

/** The notes alone, for a terminal that has shown stderr already. */
export function notesAlone(outcome: RunOutcome): string {
  return noteLines(outcome, streamText(outcome, 'stderr')).join('\n');
}

function stderrLines(stderr: string): string[] {
  if (stderr.trim() === '') return [];
  return [stderr.includes('\n') ? `stderr:\n${stderr}` : `stderr: ${stderr}`];
}

function noteLines(outcome: RunOutcome, stderr: string): string[] {
  const hint = isFailure(outcome) ? networkHint(stderr) : undefined;
  return [
    ...exitLine(outcome),
    ...(outcome.stop === null ? [] : [`stopped: ${stopText(outcome)}`]),
    ...(outcome.kind === 'running' ? [`running: ${formatSeconds(outcome.durationMs)} so far; send empty code to this session to wait for the rest, with timeout 0 to stop it`] : []),
    ...outcome.sessionNotes.map((note) => `session: ${note}`),
    ...filesLine(outcome),
    ...[...outcome.hints, ...(hint === undefined ? [] : [hint])].map((text) => `hint: ${text}`),
  ];
}

function exitLine({ exitCode, signal }: RunOutcome): string[] {
  if (exitCode === null || (exitCode === 0 && signal === null)) return [];
  return [`exit code: ${exitCode}${signal === null ? '' : ` (${signal})`}`];
}

function stopText({ stop, timeoutMs }: RunOutcome): string {
  return stop === 'timeout' ? `timeout after ${formatSeconds(timeoutMs)}` : (stop ?? '');
}

function filesLine({ files, filesMore }: RunOutcome): string[] {
  if (files.length === 0) return [];
  const named = files.map((file) => `${file.path} (${formatBytes(file.bytes)})`).join(', ');
  return [`files: ${named}${filesMore > 0 ? `, and ${filesMore} more` : ''}`];
}

/** Whether the program failed or was stopped: exactly when an answer is an error. */
export function isFailure(outcome: RunOutcome): boolean {
  return outcome.kind === 'finished' && (outcome.exitCode !== 0 || outcome.stop !== null);
}
