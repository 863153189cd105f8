/**
 * Watches a run from outside: wall clock, CPU time, output, disk. Each asks for a stop by name; the session does it.
 *
 * Short runs pay for two timers and nothing else: the looks at CPU, output and disk begin when a run has lasted a while.
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
  readonly before: Usage;
  readonly limits: Limits;
  readonly workspace: string;
}

export function guardRun(guarded: GuardedRun, requestStop: (reason: StopReason) => void): Disposable {
  const { run, limits, workspace } = guarded;
  const deadline = setTimeout(requestStop, run.spec.timeoutMs, 'timeout');
  const disk = watchWorkspace(workspace, { bytes: limits.workspaceBytes, files: limits.workspaceFiles }, () => requestStop('disk'));
  let looks = setTimeout(look, LOOK_EVERY_MS);

  function look(): void {
    const reason = passedLimit(guarded);
    if (reason) requestStop(reason);
    looks = setTimeout(look, LOOK_EVERY_MS);
  }

  return {
    [Symbol.dispose]() {
      clearTimeout(deadline);
      clearTimeout(looks);
      disk.stop();
    },
  };
}

function passedLimit({ run, sandbox, before, limits }: GuardedRun): StopReason | undefined {
  if (run.stdout.totalBytes + run.stderr.totalBytes > BOUNDS.outputBytesStop) return 'output';
  const usage = sandbox.usage();
  if (usage.memoryBytes !== null && usage.memoryBytes > limits.memoryBytes) return 'memory';
  if (usage.cpuMs !== null && usage.cpuMs - (before.cpuMs ?? 0) > limits.cpuMsMax) return 'cpu';
  return undefined;
}
