/**
 * Control groups of version 2.
 *
 * A group that has processes of its own cannot hand controllers to groups below it. So the server's groups stand either
 * in the group that it was given for itself alone (a service with `Delegate=yes`: the server then moves aside, into a
 * leaf), or in the nearest group above it that this user may write to and that already hands on memory and pids.
 */
import { accessSync, constants, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError, messageOf } from '#contracts/errors';
import type { SandboxLimits } from '../backend.ts';
import { GroupFile, writeControls } from './group-file.ts';
import type { Hierarchies } from './hierarchy.ts';
import {
  CPU_PERIOD_US,
  cpuQuotaUs,
  groupMemoryBytes,
  groupProcesses,
  type Limiter,
  type LimitGroup,
  type ResourceUsage,
} from './limiter.ts';
import { endGroup, joinGroup, newServerGroupName, sweepServerGroups } from './server-group.ts';

const NEEDED = ['memory', 'pids'];
const LEAF = 'sallyport-server';

/** The mechanism, or why it cannot be had here. */
export function tryUnifiedGroups({ unified }: Hierarchies): Limiter | string {
  if (!unified) return 'no version 2 hierarchy';
  if (!isSubset(NEEDED, words(join(unified.mount, 'cgroup.controllers')))) {
    return 'version 2 does not have the memory and pids controllers';
  }
  const parent = ownDelegatedGroup(unified.folder) ?? handingOnGroup(unified);
  if (parent === undefined) return 'no version 2 group above this process is delegated to this user';
  try {
    sweepServerGroups(parent);
    const folder = join(parent, newServerGroupName());
    mkdirSync(folder, { recursive: true });
    const controllers = words(join(folder, 'cgroup.controllers'));
    if (!isSubset(NEEDED, controllers)) {
      rmdirSync(folder);
      return `the group ${parent} does not hand on memory and pids`;
    }
    const hasCpu = controllers.includes('cpu');
    writeFileSync(
      join(folder, 'cgroup.subtree_control'),
      [...NEEDED, ...(hasCpu ? ['cpu'] : [])].map((name) => `+${name}`).join(' '),
    );
    return new UnifiedLimiter(folder, parent.slice(unified.mount.length) || '/', hasCpu);
  } catch (error) {
    return `version 2 groups cannot be made: ${messageOf(error)}`;
  }
}

/** Moves the server into a leaf, when its group has nobody else in it. Undefined when it is not the server's own. */
function ownDelegatedGroup(folder: string): string | undefined {
  try {
    accessSync(folder, constants.W_OK);
    const controllers = words(join(folder, 'cgroup.controllers'));
    if (!isSubset(NEEDED, controllers)) return undefined;
    const members = words(join(folder, 'cgroup.procs')).map(Number);
    if (!members.every((pid) => pid === process.pid)) return undefined;
    const leaf = join(folder, LEAF);
    mkdirSync(leaf, { recursive: true });
    writeFileSync(join(leaf, 'cgroup.procs'), String(process.pid));
    const wanted = controllers.filter((name) => [...NEEDED, 'cpu'].includes(name));
    writeFileSync(join(folder, 'cgroup.subtree_control'), wanted.map((name) => `+${name}`).join(' '));
    return folder;
  } catch {
    return undefined; // not ours to write, or the root of the hierarchy
  }
}

function handingOnGroup({ mount, folder }: { mount: string; folder: string }): string | undefined {
  // A second server in the same service finds itself in the leaf of the first.
  for (let group = folder; group.startsWith(mount); group = dirname(group)) {
    if (isSubset(NEEDED, words(join(group, 'cgroup.subtree_control'))) && isWritable(group)) return group;
    if (group === mount) break;
  }
  return undefined;
}

/** A process may be moved only by one who may write to the group above both its old and its new place. */
function isWritable(group: string): boolean {
  try {
    accessSync(group, constants.W_OK);
    accessSync(join(group, 'cgroup.procs'), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

class UnifiedLimiter implements Limiter {
  readonly description: string;
  readonly gaps: readonly string[];
  readonly countsUnmappedMemory = true;
  readonly #folder: string;
  readonly #hasCpu: boolean;
  #count = 0;

  constructor(folder: string, shownParent: string, hasCpu: boolean) {
    this.#folder = folder;
    this.#hasCpu = hasCpu;
    this.description = `cgroup v2 (under ${shownParent})`;
    this.gaps = hasCpu ? [] : [NO_CPU_CONTROLLER];
  }

  async processRlimit(): Promise<undefined> {
    return undefined;
  }

  open(limits: SandboxLimits): LimitGroup {
    const folder = join(this.#folder, `s-${++this.#count}`);
    try {
      mkdirSync(folder);
      writeControls(folder, unifiedControls(folder, limits, this.#hasCpu));
      return new UnifiedGroup(folder);
    } catch (cause) {
      endGroup(folder).catch(() => {}); // the failure that is told is the first one
      throw cause instanceof AppError
        ? cause
        : new AppError('SANDBOX_FAILED', `Cannot make a control group: ${messageOf(cause)}`, { cause });
    }
  }

  async close(): Promise<void> {
    await endGroup(this.#folder);
  }
}

export const NO_CPU_CONTROLLER = 'The number of cores is not limited: the cpu controller is not delegated';

function unifiedControls(folder: string, limits: SandboxLimits, hasCpu: boolean): Record<string, string> {
  return {
    'memory.max': String(groupMemoryBytes(limits)),
    // Absent where the kernel has no swap accounting.
    ...(hasFile(folder, 'memory.swap.max') ? { 'memory.swap.max': '0' } : {}),
    'pids.max': String(groupProcesses(limits)),
    ...(hasCpu ? { 'cpu.max': `${cpuQuotaUs(limits)} ${CPU_PERIOD_US}` } : {}),
  };
}

class UnifiedGroup implements LimitGroup {
  readonly launcher = [];
  readonly launcherEnv = {};
  readonly #folder: string;
  readonly #counters: UnifiedCounters;
  #ending: Promise<void> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    this.#counters = new UnifiedCounters(folder);
  }

  join(pid: number): Promise<void> {
    return joinGroup(this.#folder, pid);
  }

  attach(): void {}

  usage(): ResourceUsage {
    return this.#counters.usage();
  }

  resetPeak(): void {
    this.#counters.resetPeak();
  }

  end(): Promise<void> {
    this.#counters.close();
    this.#ending ??= endGroup(this.#folder);
    return this.#ending;
  }
}

/** What a version 2 group tells about itself. */
export class UnifiedCounters {
  readonly #current: GroupFile | undefined;
  readonly #peak: GroupFile | undefined;
  readonly #cpu: GroupFile | undefined;
  readonly #events: GroupFile | undefined;
  readonly #stat: GroupFile | undefined;
  /** The highest use of all time when the peak was last reset; 0 where the kernel resets it itself. */
  #peakBefore = 0;

  constructor(folder: string) {
    const open = (file: string) => GroupFile.open(join(folder, file));
    this.#current = open('memory.current');
    this.#peak = open('memory.peak');
    this.#cpu = open('cpu.stat');
    this.#events = open('memory.events');
    this.#stat = open('memory.stat');
  }

  /** Each figure is read when it is looked at: most runs need one of them. */
  usage(): ResourceUsage {
    const [cpu, events, stat] = [this.#cpu, this.#events, this.#stat];
    const peak = () => this.#peakSinceReset();
    return {
      get peakMemoryBytes() {
        return peak();
      },
      get cpuMs() {
        const cpuUs = cpu?.field('usage_usec') ?? null;
        return cpuUs === null ? null : cpuUs / 1e3;
      },
      get oomKills() {
        return events?.field('oom_kill') ?? 0;
      },
      get memoryBytes() {
        return stat?.field('anon') ?? null;
      },
    };
  }

  /** From kernel 6.12 on, a write starts the count again for readers of the same descriptor. */
  resetPeak(): void {
    if (this.#peak?.write('0')) return;
    this.#peakBefore = this.#peak?.number() ?? 0;
  }

  close(): void {
    for (const file of [this.#current, this.#peak, this.#cpu, this.#events, this.#stat]) file?.close();
  }

  /** Where an old record stands, what is used at this moment is the most that can be said. */
  #peakSinceReset(): number | null {
    const peak = this.#peak?.number() ?? null;
    return peak !== null && peak > this.#peakBefore ? peak : (this.#current?.number() ?? null);
  }
}

function hasFile(folder: string, name: string): boolean {
  try {
    accessSync(join(folder, name));
    return true;
  } catch {
    return false;
  }
}

function isSubset(needed: readonly string[], given: readonly string[]): boolean {
  return needed.every((name) => given.includes(name));
}

/** Empty when the file cannot be read. */
function words(file: string): string[] {
  try {
    return readFileSync(file, 'latin1').split(/\s+/).filter(Boolean);
  } catch {
    return [];
  }
}
