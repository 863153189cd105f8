/** What one run may reach, and what ends with it. */
import { AppError } from '#contracts/errors';
import type { LiveRun } from '#sessions/live-run';

export interface RunGrants {
  /** Aborted when the run has ended. */
  readonly signal: AbortSignal;
  /** The only servers that the run may use; undefined is all of them. */
  only: ReadonlySet<string> | undefined;
  /** Calls that the program can take back, by the word that it gave them. */
  readonly cancels: Map<string, AbortController>;
  /** Calls that end with the run. A set, because signals that follow other signals cost more than the rest of a call. */
  readonly open: Set<AbortController>;
  /** Calls on their way. */
  callsOpen: number;
  /** Calls that were asked for, whatever became of them. */
  callsMade: number;
}

const grantsOfRuns = new WeakMap<LiveRun, RunGrants>();

export function grantsOf(run: LiveRun): RunGrants {
  const known = grantsOfRuns.get(run);
  if (known) return known;
  const ending = new AbortController();
  const grants = openGrants(ending.signal);
  grantsOfRuns.set(run, grants);
  void run.ended.then(() => ending.abort(new AppError('SESSION_CLOSED', 'The run that made this call has ended')));
  return grants;
}

/** For calls that belong to no run, as those of the command line. */
export function openGrants(signal: AbortSignal): RunGrants {
  const open = new Set<AbortController>();
  signal.addEventListener('abort', () => {
    for (const call of open) call.abort(signal.reason);
  });
  return { signal, only: undefined, cancels: new Map(), open, callsOpen: 0, callsMade: 0 };
}
