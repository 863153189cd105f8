/** All processes below one, and what they use, as /proc tells it. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

export interface TreeProcess {
  readonly pid: number;
  readonly cpuTicks: number;
  readonly residentBytes: number;
}

/** Ticks a second in /proc/PID/stat: 100 on every Linux that Node runs on. */
export const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;

/** The process itself and everything below it. An orphan hangs below the first process of its namespace, so none is missed. */
export function readTree(root: number): TreeProcess[] {
  const found: TreeProcess[] = [];
  const waiting = [root];
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    const process = readProcess(pid);
    if (!process) continue;
    found.push(process);
    waiting.push(...childrenOf(pid));
  }
  return found;
}

/** The most that the process ever had since `forgetPeak`; undefined when it is gone. */
export function peakBytes(pid: number): number | undefined {
  try {
    const match = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'));
    return match === null ? undefined : Number(match[1]) * 1024;
  } catch {
    return undefined;
  }
}

/** The kernel's own word for "begin the high-water mark anew". */
const RESET_HIGH_WATER_MARK = '5';

export function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, RESET_HIGH_WATER_MARK);
  } catch {
    // Gone, or a kernel without it: the peak is then that of the process's life.
  }
}

/** Each shared page counted by its share; undefined when the process is gone. */
export function proportionalBytes(pid: number): number | undefined {
  try {
    const match = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'));
    return match === null ? undefined : Number(match[1]) * 1024;
  } catch {
    return undefined;
  }
}

function readProcess(pid: number): TreeProcess | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const number = (index: number) => Number(fields[index]);
    // utime, stime, and those of children that were waited for; rss in pages.
    return {
      pid,
      cpuTicks: number(11) + number(12) + number(13) + number(14),
      residentBytes: number(21) * PAGE_BYTES,
    };
  } catch {
    return undefined; // gone
  }
}

/** A process that a thread started is a child of that thread. */
function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return []; // gone
  }
}
