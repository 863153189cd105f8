/** From what was seen at the end of a run to what the answer says of it. Pure. */
import { constants } from 'node:os';
import { type Frame, fieldText } from '#bridge/codec';
import type { Limits } from '#contracts/limits';
import type { ChangedFile, StopReason } from '#contracts/run';
import type { InterpreterExit, Usage } from '#sandbox/backend';
import type { RunEnding, RunError } from './live-run.ts';

/** How a run's bytes and frames came to an end. */
export type RawEnd =
  | { readonly kind: 'done'; readonly frame: Frame }
  | { readonly kind: 'interpreter-gone'; readonly exit: InterpreterExit; readonly reason: string | undefined }
  | { readonly kind: 'sandbox-gone' };

export interface SeenEnd {
  readonly end: RawEnd;
  /** The stop that was asked for, if any. */
  readonly stop: StopReason | null;
  readonly usage: Usage;
  /** Whether the kernel killed something for memory during the run. */
  readonly wasOutOfMemory: boolean;
  readonly limits: Limits;
  readonly files: readonly ChangedFile[];
}

/** Signals whose default action is what a runtime does when it cannot get memory. */
const OUT_OF_MEMORY_SIGNALS = new Set(['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGSEGV', 'SIGKILL']);
/** A runtime that gives up near the limit has reached it: its own bookkeeping fails before the last page is used. */
const NEAR_LIMIT = 0.8;

export function endingOf(seen: SeenEnd): RunEnding {
  const raw = rawEnding(seen.end);
  const stop = seen.stop ?? (raw.exitCode === 0 ? null : limitThatWasHit(seen, raw));
  return { ...raw, stop, peakMemoryBytes: seen.usage.peakMemoryBytes, files: seen.files };
}

interface RawEnding {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly error: RunError | undefined;
}

function rawEnding(end: RawEnd): RawEnding {
  switch (end.kind) {
    case 'done': {
      const exit = Number(fieldText(end.frame, 'exit') ?? '');
      const exitCode = Number.isInteger(exit) && exit >= 0 && exit <= 255 ? exit : 1;
      return { exitCode, signal: signalOf(end.frame), error: errorOf(end.frame) };
    }
    case 'interpreter-gone':
      return {
        exitCode: end.exit.exitCode ?? codeOfSignal(end.exit.signal),
        signal: end.exit.signal,
        error: end.reason === undefined ? undefined : failed(end.reason),
      };
    case 'sandbox-gone':
      return { exitCode: 137, signal: 'SIGKILL', error: undefined };
    default:
      return end satisfies never;
  }
}

/** What the kernel of command languages says of itself; a program that forges it harms its own answer alone. */
const TOLD_CODES = new Set(['COMPILE_FAILED', 'RUNTIME_MISSING', 'INVALID_INPUT', 'SANDBOX_FAILED']);
const MESSAGE_CHARS_MAX = 2_000;
const DIAGNOSTICS_CHARS_MAX = 64_000;

function errorOf(frame: Frame): RunError | undefined {
  const told = fieldText(frame, 'code') ?? '';
  const message = fieldText(frame, 'error')?.slice(0, MESSAGE_CHARS_MAX);
  const diagnostics = fieldText(frame, 'diagnostics')?.slice(0, DIAGNOSTICS_CHARS_MAX);
  if (TOLD_CODES.has(told)) return { code: told, message: message ?? '', ...(diagnostics ? { diagnostics } : {}) };
  return message === undefined ? undefined : failed(message);
}

function failed(message: string): RunError {
  return { code: 'PROGRAM_FAILED', message };
}

function signalOf(frame: Frame): string | null {
  const signal = fieldText(frame, 'signal');
  return signal !== undefined && signal in constants.signals ? signal : null;
}

/** As a shell would say it. */
function codeOfSignal(signal: string | null): number {
  return 128 + (constants.signals[signal as NodeJS.Signals] ?? constants.signals.SIGKILL);
}

function limitThatWasHit({ usage, wasOutOfMemory, limits, files }: SeenEnd, raw: RawEnding): StopReason | null {
  if (wasOutOfMemory) return 'memory';
  if (raw.error !== undefined && /^MemoryError\b/.test(raw.error.message)) return 'memory';
  const peak = usage.peakMemoryBytes ?? 0;
  if (raw.signal !== null && OUT_OF_MEMORY_SIGNALS.has(raw.signal) && peak > limits.memoryBytes * NEAR_LIMIT)
    return 'memory';
  if (usage.tmpFull || raw.signal === 'SIGXFSZ') return 'disk';
  const written = files.reduce((sum, file) => sum + file.bytes, 0);
  return written >= limits.workspaceBytes ? 'disk' : null;
}
