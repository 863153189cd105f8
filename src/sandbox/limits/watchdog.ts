/**
 * Limits without control groups: rlimits for each process, and a watchdog over all of them together.
 *
 * RLIMIT_DATA stops a single process at the memory limit. What many processes take together is looked at every few
 * milliseconds; past the limit the largest one is killed, as the kernel would do it, and counted as such.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { release } from 'node:os';
import type { SandboxLimits } from '../backend.ts';
import { killProcess, type ProcessRef, processRef } from '../process.ts';
import type { Limiter, LimitGroup, ResourceUsage } from './limiter.ts';
import { groupProcesses } from './limiter.ts';
import {
  forgetPeak,
  ProcessTree,
  peakBytes,
  proportionalBytes,
  TICKS_PER_SECOND,
  type TreeProcess,
} from './process-tree.ts';

const LOOK_MS = 50;
/** Between runs only what was left in the background can grow. */
const IDLE_LOOK_MS = 500;
/** So long after the last sign of a run the looks become rare. */
const BUSY_MS = 2_000;

export interface WatchdogOptions {
  readonly uid: number;
  /** Sandboxes that each have a user of their own do not share the count of processes. */
  readonly hasOwnUser: boolean;
}

export function createWatchdogLimiter({ uid, hasOwnUser }: WatchdogOptions): Limiter {
  return {
    description: 'rlimits and a watchdog',
    gaps: [
      'Memory of all processes together is looked at every 50 ms: a sandbox can pass its limit for that long',
      'The number of cores is not limited',
      'memfd_create and SysV shared memory do not exist behind the wall, because nothing would count them',
    ],
    countsUnmappedMemory: false,
    processRlimit: async (limits) => {
      const processes = groupProcesses(limits);
      return countsPerNamespace(release()) || hasOwnUser ? processes : processes + (await countThreads(uid));
    },
    open: (limits) => new WatchedGroup(limits),
    close: async () => {},
  };
}

/** Since 5.14 the kernel counts a user's processes in each user namespace apart. */
function countsPerNamespace(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split('.').map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}

async function countThreads(uid: number): Promise<number> {
  const counts = await Promise.all(
    (await readdir('/proc'))
      .filter((name) => /^\d+$/.test(name))
      .map(async (pid) => {
        try {
          if ((await stat(`/proc/${pid}`)).uid !== uid) return 0;
          return Number(/^Threads:\s+(\d+)$/m.exec(await readFile(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 1);
        } catch {
          return 0; // ended meanwhile
        }
      }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

interface Figures {
  readonly memoryBytes: number;
  readonly peakMemoryBytes: number;
  readonly cpuMs: number;
}

class WatchedGroup implements LimitGroup {
  readonly launcher = [];
  readonly launcherEnv = {};
  readonly #limits: SandboxLimits;
  #tree: ProcessTree | undefined;
  #timer: NodeJS.Timeout | undefined;
  #peakBytes = 0;
  #oomKills = 0;
  #lastRunAt = Date.now();

  constructor(limits: SandboxLimits) {
    this.#limits = limits;
  }

  async join(): Promise<void> {}

  attach(init: ProcessRef): void {
    this.#tree = new ProcessTree(init.pid);
    this.#look();
  }

  /** The tree is read once, when the first figure is looked at. */
  usage(): ResourceUsage {
    this.#lastRunAt = Date.now();
    const oomKills = this.#oomKills;
    let known: Figures | undefined;
    const figures = () => {
      known ??= this.#measure();
      return known;
    };
    return {
      get peakMemoryBytes() {
        return figures().peakMemoryBytes;
      },
      get cpuMs() {
        return figures().cpuMs;
      },
      get memoryBytes() {
        return figures().memoryBytes;
      },
      oomKills,
    };
  }

  resetPeak(): void {
    this.#peakBytes = 0;
    for (const { pid } of this.#read().filter(isProgram)) forgetPeak(pid);
    this.#lastRunAt = Date.now();
    this.#schedule(LOOK_MS);
  }

  async end(): Promise<void> {
    clearTimeout(this.#timer);
    this.#tree?.close();
    this.#tree = undefined;
  }

  #measure(): Figures {
    const tree = this.#read();
    const memoryBytes = sum(tree.map((process) => process.residentBytes));
    // Between two looks one process may have grown and shrunk again, while the others had what they have now.
    const peaks = tree
      .filter(isProgram)
      .map(({ pid, residentBytes }) => memoryBytes - residentBytes + (peakBytes(pid) ?? residentBytes));
    this.#peakBytes = Math.max(this.#peakBytes, memoryBytes, ...peaks);
    const cpuTicks = sum(tree.map((process) => process.cpuTicks));
    return { memoryBytes, peakMemoryBytes: this.#peakBytes, cpuMs: (cpuTicks * 1000) / TICKS_PER_SECOND };
  }

  #read(): TreeProcess[] {
    return this.#tree?.read() ?? [];
  }

  #look(): void {
    if (!this.#tree) return;
    const tree = this.#read();
    const residentBytes = sum(tree.map((process) => process.residentBytes));
    this.#peakBytes = Math.max(this.#peakBytes, residentBytes);
    if (residentBytes > this.#limits.memoryBytes) this.#enforce(tree);
    this.#schedule(Date.now() - this.#lastRunAt < BUSY_MS ? LOOK_MS : IDLE_LOOK_MS);
  }

  /** Resident pages count a library once for each process that has it, so the exact sum is made before anything dies. */
  #enforce(tree: readonly TreeProcess[]): void {
    const exact = tree
      .map(({ pid, residentBytes }) => ({ pid, bytes: proportionalBytes(pid) ?? residentBytes }))
      .sort((a, b) => b.bytes - a.bytes);
    if (sum(exact.map(({ bytes }) => bytes)) <= this.#limits.memoryBytes) return;
    const largest = exact[0] && processRef(exact[0].pid);
    if (!largest) return;
    killProcess(largest);
    this.#oomKills++;
  }

  #schedule(waitMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), waitMs);
    this.#timer.unref();
  }
}

/** Shells and supervisors are smaller than this, and there are as many of them in every sandbox. */
const PROGRAM_BYTES_MIN = 4 * 1024 * 1024;

function isProgram({ residentBytes }: TreeProcess): boolean {
  return residentBytes > PROGRAM_BYTES_MIN;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Watches a tree that stands in no group of ours. */
export function watchTree(init: ProcessRef, limits: SandboxLimits): Pick<LimitGroup, 'usage' | 'resetPeak' | 'end'> {
  const group = new WatchedGroup(limits);
  group.attach(init);
  return group;
}
