/** How long a call and a start may take. Clients write milliseconds, or seconds where their name or their shape says so. */
import type { ConfigShape, Fields } from '../client.ts';
import { isFields, positiveAt } from './fields.ts';

export interface Times {
  readonly timeoutMs?: number;
  readonly startTimeoutMs?: number;
}

export function mapTimes(entry: Fields, shape: ConfigShape): Times {
  const unitMs = shape.timeoutUnit === 's' ? 1000 : 1;
  const parts = isFields(entry.timeout) ? entry.timeout : {};
  const timeoutMs =
    positiveAt(entry, ['toolTimeoutMs', 'timeoutMs', 'tool_timeout_ms']) ??
    seconds(positiveAt(entry, ['tool_timeout_sec', 'tool_timeout_seconds'])) ??
    times(positiveAt(entry, ['timeout']) ?? positiveAt(parts, ['execution', 'request']), unitMs);
  const startTimeoutMs =
    positiveAt(entry, ['startTimeoutMs', 'startupTimeoutMs', 'startup_timeout_ms', 'connectionTimeout']) ??
    seconds(positiveAt(entry, ['startup_timeout_sec', 'startup_timeout_seconds'])) ??
    times(positiveAt(parts, ['startup']), unitMs);
  return {
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(startTimeoutMs === undefined ? {} : { startTimeoutMs }),
  };
}

function seconds(value: number | undefined): number | undefined {
  return times(value, 1000);
}

function times(value: number | undefined, unitMs: number): number | undefined {
  return value === undefined ? undefined : Math.round(value * unitMs);
}
