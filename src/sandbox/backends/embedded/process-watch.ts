/**
 * Looks at the process from outside, where its program cannot reach: memory and CPU time by `/proc`.
 *
 * Looks are frequent while the process does something and rare while it sleeps. Whether it does something is seen from
 * its CPU time, not from what it says.
 */
import { readFileSync } from 'node:fs';

export interface ProcessFigures {
  readonly memoryBytes: number;
  readonly cpuMs: number;
}

const BUSY_LOOK_MS = 20;
const IDLE_LOOK_MS_MAX = 500;
/** The kernel counts CPU time in these, on every machine that Node runs on. */
const TICK_MS = 10;

/** Undefined when the process is gone. */
function readFigures(pid: number): ProcessFigures | undefined {
  try {
    return {
      memoryBytes: ownMemory(readFileSync(`/proc/${pid}/status`, 'latin1')),
      cpuMs: cpuTime(readFileSync(`/proc/${pid}/stat`, 'latin1')),
    };
  } catch {
    return undefined; // gone between two looks
  }
}

/** Pages of its own and shared memory; not the binary's, which all sessions have together. */
export function ownMemory(status: string): number {
  const kibibytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0);
  return (kibibytes('RssAnon') + kibibytes('RssShmem')) * 1024;
}

/** Fields 14 and 15. The name in field 2 may hold anything, so the count starts after its last `)`. */
export function cpuTime(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

export class ProcessWatch {
  readonly #pid: number;
  readonly #look: (figures: ProcessFigures) => void;
  #timer: NodeJS.Timeout | undefined;
  #waitMs = BUSY_LOOK_MS;
  #lastCpuMs = 0;
  #hasEnded = false;

  constructor(pid: number, look: (figures: ProcessFigures) => void) {
    this.#pid = pid;
    this.#look = look;
    this.#schedule(BUSY_LOOK_MS);
  }

  /** Something was asked of the process: it will be busy now. */
  expectWork(): void {
    if (this.#waitMs > BUSY_LOOK_MS) this.#schedule(BUSY_LOOK_MS);
  }

  lookNow(): void {
    const figures = readFigures(this.#pid);
    if (figures === undefined || this.#hasEnded) return;
    const isBusy = figures.cpuMs > this.#lastCpuMs;
    this.#lastCpuMs = figures.cpuMs;
    this.#schedule(isBusy ? BUSY_LOOK_MS : Math.min(this.#waitMs * 2, IDLE_LOOK_MS_MAX));
    this.#look(figures);
  }

  end(): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
  }

  #schedule(waitMs: number): void {
    clearTimeout(this.#timer);
    this.#waitMs = waitMs;
    this.#timer = setTimeout(() => this.lookNow(), waitMs);
    this.#timer.unref();
  }
}
