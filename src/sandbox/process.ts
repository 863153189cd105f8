/** Host commands (never user code): started, bounded, collected; and what the kernel says about a process. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface CommandResult {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly timeoutMs: number;
  /** All of its environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Bytes kept of each stream; a version line or an error message fits. */
const OUTPUT_BYTES_MAX = 64 * 1024;

/** Runs a command to its end. Rejects with Node's error when it cannot be started; at the timeout it is killed. */
export function runCommand(file: string, args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const { promise, resolve, reject } = Promise.withResolvers<CommandResult>();
  const child = spawn(file, args, {
    env: options.env ?? {},
    cwd: options.cwd ?? '/',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: options.timeoutMs,
    killSignal: 'SIGKILL',
  });
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  child.once('error', reject);
  child.once('close', (exitCode) => resolve({ exitCode, stdout: stdout(), stderr: stderr() }));
  return promise;
}

function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    if (bytes < OUTPUT_BYTES_MAX) chunks.push(chunk);
    bytes += chunk.length;
  });
  return () => Buffer.concat(chunks).toString('utf8', 0, OUTPUT_BYTES_MAX);
}

/** Of a row that doubles: two seconds in all. */
const LONGEST_WAIT_MS = 1024;

/** A process, told apart from a later one with the same pid. */
export interface ProcessRef {
  readonly pid: number;
  /** When it started, in the kernel's ticks. */
  readonly started: string;
}

/** Undefined when there is no such process. */
export function processRef(pid: number): ProcessRef | undefined {
  const started = processStart(pid);
  return started === undefined ? undefined : { pid, started };
}

export function isSameProcess({ pid, started }: ProcessRef): boolean {
  return processStart(pid) === started;
}

/** SIGKILL, unless the process is gone. A pid that went to another process meanwhile is left alone. */
export function killProcess(process_: ProcessRef): void {
  if (!isSameProcess(process_)) return;
  try {
    process.kill(process_.pid, 'SIGKILL');
  } catch {
    // It ended between the look and the kill.
  }
}

/** Kills a process that is not our child, and waits until it is gone. */
export async function endProcess(process_: ProcessRef): Promise<void> {
  for (let waitMs = 1; isSameProcess(process_) && waitMs <= LONGEST_WAIT_MS; waitMs *= 2) {
    killProcess(process_);
    await sleep(waitMs);
  }
}

/**
 * Field 22 of `/proc/PID/stat`; undefined for one that has ended, also when nobody has asked for its exit code yet. The
 * name in field 2 may hold anything, so the count starts after its last `)`.
 */
function processStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined; // gone
  }
}
