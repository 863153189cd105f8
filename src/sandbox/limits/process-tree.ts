/**
 * All processes below one, and what they use, as /proc tells it.
 *
 * Asked before and after every run, so the files of processes that are there again and again stay open: reading one is
 * then a single call. An open file of a process that is gone says so; it never speaks of a later one with the same pid.
 */
import { closeSync, openSync, readdirSync, readFileSync, readSync, writeFileSync } from 'node:fs';

export interface TreeProcess {
  readonly pid: number;
  readonly cpuTicks: number;
  readonly residentBytes: number;
  readonly threads: number;
}

/** Ticks a second in /proc/PID/stat: 100 on every Linux that Node runs on. */
export const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;

/** Those of one sandbox with a few interpreters; a program that starts hundreds is read by path. */
const KEPT_OPEN_MAX = 12;

const buffer = Buffer.alloc(4096);

interface OpenFiles {
  readonly stat: number;
  readonly children: number;
}

export class ProcessTree {
  readonly #root: number;
  readonly #files = new Map<number, OpenFiles>();

  constructor(root: number) {
    this.#root = root;
  }

  /** The root and everything below it. An orphan hangs below the first process of its namespace, so none is missed. */
  read(): TreeProcess[] {
    const found: TreeProcess[] = [];
    const waiting = [this.#root];
    for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
      const process = this.#readProcess(pid);
      if (!process) continue;
      found.push(process);
      waiting.push(...this.#childrenOf(process));
    }
    return found;
  }

  close(): void {
    for (const pid of [...this.#files.keys()]) this.#forget(pid);
  }

  #readProcess(pid: number): TreeProcess | undefined {
    const stat = this.#text(pid, 'stat');
    if (stat === undefined) return undefined;
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const number = (index: number) => Number(fields[index]);
    return {
      pid,
      // utime, stime, and those of children that were waited for.
      cpuTicks: number(11) + number(12) + number(13) + number(14),
      residentBytes: number(21) * PAGE_BYTES,
      threads: number(17),
    };
  }

  /** A process that a thread started is a child of that thread. */
  #childrenOf({ pid, threads }: TreeProcess): number[] {
    const lists = threads === 1 ? [this.#text(pid, 'children') ?? ''] : childrenOfThreads(pid);
    return lists.join(' ').split(' ').filter(Boolean).map(Number);
  }

  #text(pid: number, file: keyof OpenFiles): string | undefined {
    const files = this.#files.get(pid) ?? this.#open(pid);
    if (!files) return readText(pathOf(pid, file));
    try {
      return buffer.toString('latin1', 0, readSync(files[file], buffer, 0, buffer.length, 0));
    } catch {
      this.#forget(pid); // gone; another process may have its pid by now
      return readText(pathOf(pid, file));
    }
  }

  #open(pid: number): OpenFiles | undefined {
    if (this.#files.size >= KEPT_OPEN_MAX) return undefined;
    const stat = openFile(pathOf(pid, 'stat'));
    if (stat === undefined) return undefined;
    const children = openFile(pathOf(pid, 'children'));
    if (children === undefined) {
      closeSync(stat);
      return undefined;
    }
    const files = { stat, children };
    this.#files.set(pid, files);
    return files;
  }

  #forget(pid: number): void {
    const files = this.#files.get(pid);
    this.#files.delete(pid);
    if (!files) return;
    closeSync(files.stat);
    closeSync(files.children);
  }
}

/** The most that the process ever had since `forgetPeak`; undefined when it is gone. */
export function peakBytes(pid: number): number | undefined {
  const match = /^VmHWM:\s+(\d+) kB$/m.exec(readText(`/proc/${pid}/status`) ?? '');
  return match === null ? undefined : Number(match[1]) * 1024;
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
  const match = /^Pss:\s+(\d+) kB$/m.exec(readText(`/proc/${pid}/smaps_rollup`) ?? '');
  return match === null ? undefined : Number(match[1]) * 1024;
}

function pathOf(pid: number, file: keyof OpenFiles): string {
  return file === 'stat' ? `/proc/${pid}/stat` : `/proc/${pid}/task/${pid}/children`;
}

function childrenOfThreads(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => readText(`/proc/${pid}/task/${thread}/children`) ?? '');
  } catch {
    return []; // gone
  }
}

function openFile(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch {
    return undefined; // gone
  }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return undefined; // gone
  }
}
