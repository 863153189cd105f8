/** The audit log's line about one run: who, what, what became of it, how much it was. */
import { AppError } from '#contracts/errors';
import type { RunOutcome, RunRequest } from '#contracts/run';
import type { LiveRun } from '#sessions/live-run';
import type { Session } from '#sessions/session';
import type { EngineParts } from './parts.ts';

/** When it has ended, whoever looks at its answer. */
export function auditRun({ audit, auditsContent }: EngineParts, session: Session, run: LiveRun): void {
  const { runId, language, caller, code } = run.spec;
  void run.ended.then(() =>
    audit.write('run', {
      caller,
      session: session.name,
      run: runId,
      language,
      backend: session.backendName,
      decision: 'allow',
      outcome: run.refusal ? `refused ${run.refusal.code}` : outcomeOf(run.summary()),
      durationMs: run.summary().durationMs,
      codeBytes: Buffer.byteLength(code),
      outputBytes: run.stdout.totalBytes + run.stderr.totalBytes,
      toolCalls: run.toolCalls,
      ...(auditsContent && { code }),
    }),
  );
}

/** A run that never began. */
export function auditRefusal({ audit }: EngineParts, { caller, session, language }: RunRequest, error: unknown): void {
  audit.write('run', {
    caller,
    session: session.kind === 'named' ? session.name : session.key,
    language,
    decision: 'deny',
    outcome: `refused ${error instanceof AppError ? error.code : 'INTERNAL'}`,
  });
}

function outcomeOf({ stop, exitCode }: Pick<RunOutcome, 'stop' | 'exitCode'>): string {
  if (stop !== null) return `stopped ${stop}`;
  return exitCode === 0 ? 'ok' : `exit ${exitCode}`;
}
