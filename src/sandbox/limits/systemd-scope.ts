/**
 * Control groups by way of the user's systemd: one transient scope per sandbox.
 *
 * This is how a user gets groups who has none delegated where the server stands, as after a login by ssh. The scope is
 * made by `systemd-run` when the sandbox starts, and goes with its last process.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, messageOf } from '#contracts/errors';
import type { SandboxLimits } from '../backend.ts';
import { type ProcessRef, runCommand } from '../process.ts';
import { NO_CPU_CONTROLLER, UnifiedCounters } from './cgroup-v2.ts';
import type { Hierarchies } from './hierarchy.ts';
import {
  cpuQuotaUs,
  groupMemoryBytes,
  groupProcesses,
  type Limiter,
  type LimitGroup,
  type ResourceUsage,
} from './limiter.ts';
import { endGroup, newServerGroupName } from './server-group.ts';

export interface SystemdParts {
  readonly uid: number;
  /** Path of `systemd-run`; undefined where there is none. */
  readonly systemdRun: string | undefined;
  readonly hierarchies: Hierarchies;
}

const TRIAL_TIMEOUT_MS = 5_000;

/** The mechanism, or why it cannot be had here. Tries it for real. */
export async function trySystemdScopes({ uid, systemdRun, hierarchies }: SystemdParts): Promise<Limiter | string> {
  const mount = hierarchies.unified?.mount;
  if (uid === 0) return 'systemd-run --user is for users other than root';
  if (systemdRun === undefined) return 'systemd-run is not installed';
  if (mount === undefined) return 'no version 2 hierarchy';
  const env = { XDG_RUNTIME_DIR: `/run/user/${uid}` };
  let failure = '';
  for (const extra of [KEEP_ON_OOM, []]) {
    const args = [...scopeArguments(TRIAL_LIMITS, extra), 'cat', '/proc/self/cgroup'];
    try {
      const trial = await runCommand(systemdRun, args, { timeoutMs: TRIAL_TIMEOUT_MS, env });
      const path = /^0::(.+)$/m.exec(trial.stdout)?.[1];
      if (trial.exitCode === 0 && path !== undefined) {
        const controllers = readFileSync(join(mount, path, '..', 'cgroup.subtree_control'), 'latin1').split(/\s+/);
        if (!controllers.includes('memory') || !controllers.includes('pids')) {
          return "the user's systemd was not given the memory and pids controllers";
        }
        return new ScopeLimiter({ systemdRun, env, mount, extra, hasCpu: controllers.includes('cpu') });
      }
      failure = trial.stderr.trim();
    } catch (error) {
      failure = messageOf(error);
    }
  }
  return `systemd-run --user fails: ${failure}`;
}

/** From version 253 on, systemd would end all of a scope in which the kernel has killed one process for memory. */
const KEEP_ON_OOM = ['--property=OOMPolicy=continue'];

const TRIAL_LIMITS: SandboxLimits = {
  memoryBytes: 64 * 1024 * 1024,
  tmpBytes: 0,
  shmBytes: 0,
  workspaceBytes: 0,
  processes: 16,
  openFiles: 16,
  cpus: 1,
};

function scopeArguments(limits: SandboxLimits, extra: readonly string[]): string[] {
  return [
    '--user',
    '--scope',
    '--quiet',
    '--collect',
    `--unit=${newServerGroupName()}`,
    `--property=MemoryMax=${groupMemoryBytes(limits)}`,
    '--property=MemorySwapMax=0',
    `--property=TasksMax=${groupProcesses(limits)}`,
    `--property=CPUQuota=${Math.max(1, Math.round(cpuQuotaUs(limits) / 1000))}%`,
    ...extra,
    '--',
  ];
}

interface ScopeParts {
  readonly systemdRun: string;
  readonly env: Readonly<Record<string, string>>;
  readonly mount: string;
  /** Properties that this systemd knows. */
  readonly extra: readonly string[];
  readonly hasCpu: boolean;
}

class ScopeLimiter implements Limiter {
  readonly description = 'cgroup v2 (systemd-run --user --scope)';
  readonly gaps: readonly string[];
  readonly countsUnmappedMemory = true;
  readonly #parts: ScopeParts;

  constructor(parts: ScopeParts) {
    this.#parts = parts;
    this.gaps = parts.hasCpu ? [] : [NO_CPU_CONTROLLER];
  }

  async processRlimit(): Promise<undefined> {
    return undefined;
  }

  open(limits: SandboxLimits): LimitGroup {
    const { systemdRun, env, mount, extra } = this.#parts;
    // The launcher's own variables would be seen behind the wall, in the environment of its first process.
    const launcher = [systemdRun, ...scopeArguments(limits, extra), 'env', '-i'];
    return new ScopeGroup(launcher, env, mount, limits);
  }

  async close(): Promise<void> {}
}

class ScopeGroup implements LimitGroup {
  readonly launcher: readonly string[];
  readonly launcherEnv: Readonly<Record<string, string>>;
  readonly #mount: string;
  readonly #limits: SandboxLimits;
  #folder: string | undefined;
  #counters: UnifiedCounters | undefined;

  constructor(
    launcher: readonly string[],
    env: Readonly<Record<string, string>>,
    mount: string,
    limits: SandboxLimits,
  ) {
    this.launcher = launcher;
    this.launcherEnv = env;
    this.#mount = mount;
    this.#limits = limits;
  }

  /** The launcher is in it from its start. */
  async join(): Promise<void> {}

  attach(init: ProcessRef): void {
    const path = /^0::(.+)$/m.exec(readFileSync(`/proc/${init.pid}/cgroup`, 'latin1'))?.[1];
    const folder = join(this.#mount, path ?? '');
    const limit = readFileSync(join(folder, 'memory.max'), 'latin1').trim();
    if (limit !== String(pageFloor(groupMemoryBytes(this.#limits)))) {
      throw new AppError('SANDBOX_FAILED', `systemd did not set the memory limit: memory.max is ${limit}`);
    }
    this.#folder = folder;
    this.#counters = new UnifiedCounters(folder);
  }

  usage(): ResourceUsage {
    return this.#counters?.usage() ?? { peakMemoryBytes: null, cpuMs: null, memoryBytes: null, oomKills: 0 };
  }

  resetPeak(): void {
    this.#counters?.resetPeak();
  }

  async end(): Promise<void> {
    this.#counters?.close();
    if (this.#folder !== undefined) await endGroup(this.#folder);
  }
}

/** The kernel rounds a limit down to whole pages. */
function pageFloor(bytes: number): number {
  return Math.floor(bytes / 4096) * 4096;
}
