/** One stream of a run as text: whole, or its beginning and end with a line between that says where the rest is. */
import { BOUNDS } from '#contracts/limits';
import type { CapturedStream, RunOutcome } from '#contracts/run';
import { firstWhole, formatBytes, lastWhole } from './text.ts';

export type StreamName = 'stdout' | 'stderr';

/** A cut moves to the end of a line that is this near, as a share of what is shown at that end. */
const NEAR_SHARE = 0.25;
const NEWLINE = 0x0a;

/** What a program printed, and the value of its last expression after it. */
export interface StreamParts {
  readonly printed: string;
  readonly value: string;
}

export function streamText(outcome: RunOutcome, name: StreamName): string {
  const parts = wholeStream(outcome[name]);
  return parts ? joinParts(parts) : shortenedText(outcome, name);
}

/** Undefined when only the ends of the stream are here. */
export function wholeStream({ head, tail, totalBytes, valueAt = totalBytes }: CapturedStream): StreamParts | undefined {
  if (tail.length > 0 || head.length < totalBytes) return undefined;
  return { printed: head.toString('utf8', 0, valueAt), value: head.toString('utf8', valueAt) };
}

/** The value begins a line of its own. */
export function joinParts({ printed, value }: StreamParts): string {
  return value === '' ? printed : endLine(printed) + value;
}

function shortenedText(outcome: RunOutcome, name: StreamName): string {
  const stream = outcome[name];
  const { head, tail, totalBytes, droppedBytes, valueAt = totalBytes } = stream;
  const headEnd = endOfHead(head);
  const tailStart = startOfTail(tail);
  const left = formatBytes(totalBytes - headEnd - (tail.length - tailStart));
  const where = `/output/${outcome.runId}/${name} or sallyport://runs/${outcome.runId}/${name}`;
  const gap =
    droppedBytes > 0
      ? `… ${left} left out; the first ${formatBytes(BOUNDS.keptBytesMax)}: ${where}; ${formatBytes(droppedBytes)} dropped …`
      : `… ${left} left out; whole: ${where} …`;
  const valueInTail = Math.max(tailStart, valueAt - (totalBytes - tail.length));
  const end = joinParts({
    printed: tail.toString('utf8', tailStart, valueInTail),
    value: tail.toString('utf8', valueInTail),
  });
  return `${endLine(head.toString('utf8', 0, headEnd))}${gap}\n${end}`;
}

/** Where to end the beginning: after a whole line if one ends near, else after a whole character. */
function endOfHead(head: Buffer): number {
  const end = lastWhole(head);
  const lineEnd = head.lastIndexOf(NEWLINE, end - 1) + 1;
  return lineEnd > end * (1 - NEAR_SHARE) ? lineEnd : end;
}

function startOfTail(tail: Buffer): number {
  const start = firstWhole(tail);
  const lineStart = tail.indexOf(NEWLINE, start) + 1;
  return lineStart > 0 && lineStart < tail.length * NEAR_SHARE ? lineStart : start;
}

function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
