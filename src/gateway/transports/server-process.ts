/**
 * The process of an upstream, in a process group of its own, and the end of everything that it started.
 *
 * A server is asked to end by the end of its input, then by SIGTERM, then killed. Its children may have left the group
 * (browsers do), so those below it are looked up before each step, while the tree still hangs together.
 */
import { type ChildProcess, spawn as spawnPlain } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import spawn from 'cross-spawn';
import { descendantsOf, isAlive, type ProcessRef } from './descendants.ts';

export interface ProcessPlan {
  readonly command: string;
  readonly args: readonly string[];
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
}

export interface ProcessEnd {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** From the end of the input to SIGTERM, and from there to SIGKILL. */
const INPUT_GRACE_MS = 1_000;
const TERM_GRACE_MS = 1_000;
/** The last words of a process may still be in the pipe when it ends; a child of its that keeps the pipe open may not. */
const DRAIN_MS = 200;

const IS_WINDOWS = process.platform === 'win32';

/** Groups to end when we end without having been asked to: a server must not outlive its gateway. */
const living = new Set<ServerProcess>();
let isWatchingExit = false;

export class ServerProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exited: Promise<ProcessEnd>;
  /** The process has ended, its output is read, and what it left in its group is dead. */
  readonly ended: Promise<void>;
  readonly pid: number;
  #ending: Promise<void> | undefined;
  /** From then on the pid may belong to somebody else. */
  #isOver = false;

  /** Rejects with Node's error when the command cannot be started. */
  static start(plan: ProcessPlan): Promise<ServerProcess> {
    const { promise, resolve, reject } = Promise.withResolvers<ServerProcess>();
    const child = spawn(plan.command, [...plan.args], {
      env: plan.env,
      cwd: plan.cwd,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: !IS_WINDOWS,
      windowsHide: true,
    });
    child.once('error', reject);
    child.once('spawn', () => resolve(new ServerProcess(child)));
    return promise;
  }

  private constructor(child: ChildProcess) {
    const { stdin, stdout, stderr, pid } = child;
    if (!stdin || !stdout || !stderr || pid === undefined) throw new TypeError('A started process has pipes and a pid');
    this.stdin = stdin;
    this.stdout = stdout;
    this.stderr = stderr;
    this.pid = pid;
    // A pipe that breaks is the process ending, which `ended` tells.
    for (const pipe of [child, stdin, stdout, stderr]) pipe.on('error', () => {});
    const exited = Promise.withResolvers<ProcessEnd>();
    const closed = Promise.withResolvers<void>();
    child.once('exit', (exitCode, signal) => exited.resolve({ exitCode, signal }));
    child.once('close', () => closed.resolve());
    this.exited = exited.promise;
    this.ended = this.#watchEnd(closed.promise);
    living.add(this);
    watchExit();
  }

  /** Ends the process and all below it. Resolves when they are dead. */
  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  killNow(): void {
    if (!this.#isOver) signalGroup(this.pid, 'SIGKILL');
  }

  async #end(): Promise<void> {
    if (this.#isOver) return;
    const family = new Map<number, ProcessRef>();
    const look = () => {
      for (const member of descendantsOf(this.pid)) family.set(member.pid, member);
    };
    look();
    this.stdin.end();
    if (!(await within(INPUT_GRACE_MS, this.exited))) {
      look();
      signalGroup(this.pid, 'SIGTERM');
      if (!(await within(TERM_GRACE_MS, this.exited))) look();
    }
    this.killNow();
    for (const member of family.values()) if (isAlive(member)) signalProcess(member.pid, 'SIGKILL');
    await this.ended;
  }

  async #watchEnd(closed: Promise<void>): Promise<void> {
    await this.exited;
    await within(DRAIN_MS, closed);
    for (const pipe of [this.stdin, this.stdout, this.stderr]) pipe.destroy();
    living.delete(this);
    this.killNow();
    this.#isOver = true;
  }
}

/** Whether the event came in time. */
async function within(timeMs: number, event: Promise<unknown>): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), timeMs);
  try {
    return await Promise.race([event.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function watchExit(): void {
  if (isWatchingExit) return;
  isWatchingExit = true;
  process.once('exit', () => {
    for (const server of living) server.killNow();
  });
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  if (IS_WINDOWS) {
    // There are no groups; taskkill walks the tree.
    const taskkill = ['/pid', String(pid), '/T', '/F'];
    if (signal === 'SIGKILL') spawnPlain('taskkill', taskkill, { stdio: 'ignore' }).on('error', () => {});
    return;
  }
  signalProcess(-pid, signal);
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended between the look and the signal.
  }
}
