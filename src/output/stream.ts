/** One stream of a run as text: whole, or its beginning and end with a line between that says where the rest is. */
import type { CapturedStream, RunOutcome } from '#contracts/run';
import { decode, formatBytes } from './text.ts';

/** The place of the whole stream, for the next program and for the caller. */
function whereabouts(outcome: RunOutcome, name: 'stdout' | 'stderr'): string {
  return `whole: /output/${outcome.runId}/${name} or sallyport://runs/${outcome.runId}/${name}`;
}

export function streamText(outcome: RunOutcome, name: 'stdout' | 'stderr'): string {
  const stream = outcome[name];
  if (stream.totalBytes <= stream.head.length) return joinValue(stream, stream.head, {});
  const left = stream.totalBytes - stream.head.length - stream.tail.length;
  const dropped = stream.droppedBytes > 0 ? `; the last ${formatBytes(stream.droppedBytes)} before the end were not kept` : '';
  const gap = `… ${formatBytes(left)} left out (${whereabouts(outcome, name)}${dropped}) …`;
  return `${endLine(decode(stream.head, { end: true }))}${gap}\n${joinValueInTail(stream)}`;
}

/** The value of a last expression begins a line of its own. */
function joinValue(stream: CapturedStream, bytes: Buffer, cut: { start?: boolean }): string {
  const at = stream.valueAt;
  if (at === undefined) return decode(bytes, cut);
  return joinLines(decode(bytes.subarray(0, at), cut), decode(bytes.subarray(at)));
}

function joinValueInTail(stream: CapturedStream): string {
  const tailAt = stream.totalBytes - stream.tail.length;
  const inTail = stream.valueAt !== undefined && stream.valueAt > tailAt;
  return joinValue({ ...stream, valueAt: inTail ? (stream.valueAt as number) - tailAt : undefined }, stream.tail, { start: true });
}

function joinLines(output: string, value: string): string {
  return output === '' ? value : `${endLine(output)}${value}`;
}

function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
