/** Control groups of version 1, as root: one group per controller, nested under the server's own. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
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

const CONTROLLERS = ['memory', 'pids', 'cpu', 'cpuacct'] as const;
type Controller = (typeof CONTROLLERS)[number];

/** The mechanism, or why it cannot be had here. */
export function tryLegacyGroups({ legacy }: Hierarchies): Limiter | string {
  const missing = CONTROLLERS.filter((controller) => !legacy.has(controller));
  if (missing.length > 0) return `no version 1 controller ${missing.join(', ')}`;
  const name = newServerGroupName();
  const folders = Object.fromEntries(
    CONTROLLERS.map((controller) => [controller, join(legacy.get(controller) ?? '', name)]),
  ) as Record<Controller, string>;
  try {
    for (const controller of CONTROLLERS) {
      sweepServerGroups(legacy.get(controller) ?? '');
      mkdirSync(folders[controller], { recursive: true });
    }
  } catch (error) {
    return `version 1 groups cannot be made: ${messageOf(error)}`;
  }
  return new LegacyLimiter(folders);
}

class LegacyLimiter implements Limiter {
  readonly description: string;
  readonly gaps = [];
  readonly countsUnmappedMemory = true;
  readonly #folders: Readonly<Record<Controller, string>>;
  #count = 0;

  constructor(folders: Readonly<Record<Controller, string>>) {
    this.#folders = folders;
    this.description = `cgroup v1 (${CONTROLLERS.join(', ')})`;
  }

  async processRlimit(): Promise<undefined> {
    return undefined;
  }

  open(limits: SandboxLimits): LimitGroup {
    const name = `s-${++this.#count}`;
    const folders = Object.fromEntries(
      CONTROLLERS.map((controller) => [controller, join(this.#folders[controller], name)]),
    ) as Record<Controller, string>;
    const all = [...new Set(Object.values(folders))];
    try {
      for (const folder of all) mkdirSync(folder);
      setLimits(folders, limits);
      return new LegacyGroup(folders, all);
    } catch (cause) {
      for (const folder of all) endGroup(folder).catch(() => {}); // the failure that is told is the first one
      throw cause instanceof AppError
        ? cause
        : new AppError('SANDBOX_FAILED', `Cannot make a control group: ${messageOf(cause)}`, { cause });
    }
  }

  async close(): Promise<void> {
    for (const folder of new Set(Object.values(this.#folders))) await endGroup(folder);
  }
}

function setLimits(folders: Readonly<Record<Controller, string>>, limits: SandboxLimits): void {
  const memory = String(groupMemoryBytes(limits));
  // The sum of memory and swap may not be below the memory, so memory comes first.
  writeControls(folders.memory, { 'memory.limit_in_bytes': memory });
  const countsSwap = existsSync(join(folders.memory, 'memory.memsw.limit_in_bytes'));
  writeControls(folders.memory, countsSwap ? { 'memory.memsw.limit_in_bytes': memory } : { 'memory.swappiness': '0' });
  writeControls(folders.pids, { 'pids.max': String(groupProcesses(limits)) });
  writeControls(folders.cpu, {
    'cpu.cfs_period_us': String(CPU_PERIOD_US),
    'cpu.cfs_quota_us': String(cpuQuotaUs(limits)),
  });
}

class LegacyGroup implements LimitGroup {
  readonly launcher = [];
  readonly launcherEnv = {};
  readonly #folders: readonly string[];
  readonly #counters: LegacyCounters;
  #ending: Promise<void> | undefined;

  constructor(folders: Readonly<Record<Controller, string>>, all: readonly string[]) {
    this.#folders = all;
    this.#counters = new LegacyCounters(folders);
  }

  async join(pid: number): Promise<void> {
    await Promise.all(this.#folders.map((folder) => joinGroup(folder, pid)));
  }

  attach(): void {}

  usage(): ResourceUsage {
    return this.#counters.usage();
  }

  resetPeak(): void {
    this.#counters.resetPeak();
  }

  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    this.#counters.close();
    await Promise.all(this.#folders.map(endGroup));
  }
}

/** What version 1 groups tell about themselves. */
export class LegacyCounters {
  readonly #peak: GroupFile | undefined;
  readonly #cpu: GroupFile | undefined;
  readonly #oom: GroupFile | undefined;
  readonly #stat: GroupFile | undefined;

  constructor(folders: { readonly memory: string; readonly cpuacct: string }) {
    this.#peak = GroupFile.open(join(folders.memory, 'memory.max_usage_in_bytes'));
    this.#cpu = GroupFile.open(join(folders.cpuacct, 'cpuacct.usage'));
    this.#oom = GroupFile.open(join(folders.memory, 'memory.oom_control'));
    this.#stat = GroupFile.open(join(folders.memory, 'memory.stat'));
  }

  /** Each figure is read when it is looked at: most runs need one of them. */
  usage(): ResourceUsage {
    const [peak, cpu, oom, stat] = [this.#peak, this.#cpu, this.#oom, this.#stat];
    return {
      get peakMemoryBytes() {
        return peak?.number() ?? null;
      },
      get cpuMs() {
        const cpuNs = cpu?.number() ?? null;
        return cpuNs === null ? null : cpuNs / 1e6;
      },
      get oomKills() {
        return oom?.field('oom_kill') ?? 0;
      },
      get memoryBytes() {
        return stat?.field('total_rss') ?? null;
      },
    };
  }

  resetPeak(): void {
    this.#peak?.write('0');
  }

  close(): void {
    for (const file of [this.#peak, this.#cpu, this.#oom, this.#stat]) file?.close();
  }
}
