/** All processes below one, as /proc tells it; empty where there is no /proc. */
import { readdirSync, readFileSync } from 'node:fs';

/** A process, told apart from a later one with the same pid. */
export interface ProcessRef {
  readonly pid: number;
  /** When it started, in the kernel's ticks. */
  readonly started: string;
}

interface Stat extends ProcessRef {
  readonly parent: number;
}

export function descendantsOf(root: number): ProcessRef[] {
  const children = Map.groupBy(allProcesses(), ({ parent }) => parent);
  const found: ProcessRef[] = [];
  const waiting = [root];
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    for (const child of children.get(pid) ?? []) {
      found.push({ pid: child.pid, started: child.started });
      waiting.push(child.pid);
    }
  }
  return found;
}

export function isAlive({ pid, started }: ProcessRef): boolean {
  return readStat(pid)?.started === started;
}

function allProcesses(): Stat[] {
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch {
    return []; // not Linux
  }
  return names.flatMap((name) => (/^\d+$/.test(name) ? (readStat(Number(name)) ?? []) : []));
}

/** Fields 4 and 22 of `/proc/PID/stat`. The name in field 2 may hold anything, so the count starts after its last `)`. */
function readStat(pid: number): Stat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z') return undefined; // dead, only not waited for
    return { pid, parent: Number(fields[1]), started: fields[19] ?? '' };
  } catch {
    return undefined; // gone
  }
}
