/** The figures of a sandbox whose control group somebody else made, such as a container engine. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SandboxLimits } from '../backend.ts';
import type { ProcessRef } from '../process.ts';
import { LegacyCounters } from './cgroup-v1.ts';
import { UnifiedCounters } from './cgroup-v2.ts';
import { parseHierarchies } from './hierarchy.ts';
import { groupMemoryBytes, type ResourceUsage } from './limiter.ts';
import { watchTree } from './watchdog.ts';

export interface ForeignGroup {
  /** Whether the group itself holds the memory limit; if not, it is watched from here. */
  readonly isEnforced: boolean;
  usage(): ResourceUsage;
  resetPeak(): void;
  close(): void;
}

/** `init` is the first process inside. */
export function openForeignGroup(init: ProcessRef, limits: SandboxLimits): ForeignGroup {
  const { unified, legacy } = parseHierarchies(
    readFileSync(`/proc/${init.pid}/cgroup`, 'latin1'),
    readFileSync('/proc/self/mountinfo', 'utf8'),
  );
  const expected = groupMemoryBytes(limits);
  const [memory, cpuacct] = [legacy.get('memory'), legacy.get('cpuacct')];
  if (memory !== undefined && cpuacct !== undefined && holds(join(memory, 'memory.limit_in_bytes'), expected)) {
    return enforced(new LegacyCounters({ memory, cpuacct }));
  }
  if (unified && holds(join(unified.folder, 'memory.max'), expected))
    return enforced(new UnifiedCounters(unified.folder));
  const watch = watchTree(init, limits);
  return {
    isEnforced: false,
    usage: () => watch.usage(),
    resetPeak: () => watch.resetPeak(),
    close: () => void watch.end(),
  };
}

function enforced(counters: LegacyCounters | UnifiedCounters): ForeignGroup {
  return {
    isEnforced: true,
    usage: () => counters.usage(),
    resetPeak: () => counters.resetPeak(),
    close: () => counters.close(),
  };
}

/** A value that cannot be read is no limit: then somebody else has to hold it. */
function holds(file: string, bytes: number): boolean {
  try {
    return Number(readFileSync(file, 'latin1')) <= bytes;
  } catch {
    return false;
  }
}
