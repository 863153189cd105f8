/**
 * Watches a run from outside: wall clock, CPU time, output, disk. Each asks for a stop by name; the session does it.
 *
 * Short runs pay for three timers and nothing else: the looks at CPU, output and disk begin when a run has lasted a while.
 */
import { BOUNDS, type Limits } from '#contracts/limits';
import type { StopReason } from '#contracts/run';
import type { Sandbox, Usage } from '#sandbox/backend';
import { watchWorkspace } from '#sandbox/disk';
import type { LiveRun } from './live-run.ts';

/** Touching as much memory as a limit allows takes longer than this. */
const LOOK_EVERY_MS = 25;

export interface GuardedRun {
  readonly run: LiveRun;
  readonly sandbox: Sandbox;
  readonly limits: Limits;
  readonly workspace: string;
}

export interface RunGuard extends Disposable {
  /** Whether the run lasted long enough to be looked at. */
  readonly hasLooked: boolean;
  /** Starts the wall clock anew: what follows is counted by itself. */
  restartClock(limitMs: number): void;
}

export function guardRun(guarded: GuardedRun, requestStop: (reason: StopReason) => void): RunGuard {
  const { run, sandbox, limits, workspace } = guarded;
  const quota = { bytes: limits.workspaceBytes, files: limits.workspaceFiles };
  const disk = watchWorkspace(workspace, quota, () => requestStop('disk'));
  run.clock.start(run.spec.timeoutMs, () => requestStop('timeout'));
  let looks = setTimeout(look, LOOK_EVERY_MS);
  let cpuMsBefore: number | undefined;

  function look(): void {
    const usage = sandbox.usage();
    cpuMsBefore ??= usage.cpuMs ?? 0;
    const reason = passedLimit(run, usage, cpuMsBefore, limits);
    if (reason) requestStop(reason);
    looks = setTimeout(look, LOOK_EVERY_MS);
  }

  return {
    get hasLooked() {
      return cpuMsBefore !== undefined;
    },
    restartClock(limitMs) {
      run.clock.stop();
      run.clock.start(limitMs, () => requestStop('timeout'));
    },
    [Symbol.dispose]() {
      run.clock.stop();
      clearTimeout(looks);
      disk.stop();
    },
  };
}

function passedLimit(run: LiveRun, usage: Usage, cpuMsBefore: number, limits: Limits): StopReason | undefined {
  if (run.stdout.totalBytes + run.stderr.totalBytes > BOUNDS.outputBytesStop) return 'output';
  if ((usage.memoryBytes ?? 0) > limits.memoryBytes) return 'memory';
  return (usage.cpuMs ?? 0) - cpuMsBefore > limits.cpuMsMax ? 'cpu' : undefined;
}
