/**
 * How memory, processes and cores of a sandbox are bounded and counted: the port that each mechanism implements.
 *
 * A group is opened before the sandbox is built, joined by the process that builds it, and ended after everything
 * inside was killed. Any step that fails throws; there is no group with some of its limits.
 */
import type { SandboxLimits } from '../backend.ts';
import type { ProcessRef } from '../process.ts';

export interface Limiter {
  /** For `doctor`: `cgroup v2 (/user.slice/…)`. */
  readonly description: string;
  /** What this mechanism does not bound, one sentence each. */
  readonly gaps: readonly string[];
  /** Whether memory that no process has mapped (a memfd, SysV segments) is counted. */
  readonly countsUnmappedMemory: boolean;
  /** The RLIMIT_NPROC to set inside; undefined where the group itself counts processes. */
  processRlimit(limits: SandboxLimits): Promise<number | undefined>;
  open(limits: SandboxLimits): LimitGroup;
  close(): Promise<void>;
}

export interface LimitGroup {
  /** Puts a process into the group, with all that it starts later. */
  join(pid: number): Promise<void>;
  /** A command that starts the rest of its command line inside the group; empty where `join` does that. */
  readonly launcher: readonly string[];
  /** Variables that the launcher needs, and that it does not pass on. */
  readonly launcherEnv: Readonly<Record<string, string>>;
  /** Called once the wall stands, before user code: `init` is the first process inside. */
  attach(init: ProcessRef): void;
  usage(): ResourceUsage;
  resetPeak(): void;
  /** Kills what is still in the group and removes it. Idempotent. */
  end(): Promise<void>;
}

export interface ResourceUsage {
  readonly peakMemoryBytes: number | null;
  readonly cpuMs: number | null;
  /** Of the processes alone: neither the page cache, nor what lies in /tmp and /dev/shm on top of the limit. */
  readonly memoryBytes: number | null;
  readonly oomKills: number;
}

/** The pages of /tmp and /dev/shm are charged to a memory group like any others, and come on top of the limit. */
export function groupMemoryBytes(limits: SandboxLimits): number {
  return limits.memoryBytes + limits.tmpBytes + limits.shmBytes;
}

/** The wall's own processes: bwrap outside and inside, the supervisor, a waiter for each interpreter. */
const OWN_PROCESSES = 9;

export function groupProcesses(limits: SandboxLimits): number {
  return limits.processes + OWN_PROCESSES;
}

export const CPU_PERIOD_US = 100_000;

export function cpuQuotaUs(limits: SandboxLimits): number {
  return Math.max(1_000, Math.round(limits.cpus * CPU_PERIOD_US));
}
