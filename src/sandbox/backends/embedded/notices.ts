/** What the main thread inside tells about itself, on channel 0. A program can forge it, so it is read with suspicion. */
import type { InterpreterId } from '../../backend.ts';

export type SupervisorNotice =
  | { readonly kind: 'up' }
  | { readonly kind: 'gone'; readonly interpreter: InterpreterId; readonly exitCode: number }
  | { readonly kind: 'memory'; readonly bytes: number };

const INTERPRETERS: readonly unknown[] = ['python', 'javascript', 'bash'] satisfies InterpreterId[];

/** Undefined for anything else. */
export function parseNotice(payload: Buffer): SupervisorNotice | undefined {
  let value: unknown;
  try {
    value = JSON.parse(payload.toString('utf8'));
  } catch {
    return undefined; // not what our side writes
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { up, gone, exit, memory } = value as Record<string, unknown>;
  if (up === true) return { kind: 'up' };
  if (Number.isSafeInteger(memory)) return { kind: 'memory', bytes: memory as number };
  if (!INTERPRETERS.includes(gone) || !Number.isInteger(exit)) return undefined;
  return { kind: 'gone', interpreter: gone as InterpreterId, exitCode: (exit as number) & 0xff };
}
