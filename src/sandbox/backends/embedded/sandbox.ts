/**
 * One Deno process with the interpreters of a session in it, seen from the host.
 *
 * (1) Everything inside is one process that cannot start another: SIGKILL to it is the end of all.
 * (2) Its standard error carries control records between what programs print (`wire.ts`). A violation ends it.
 * (3) What it says of itself is the program's word. Memory and CPU time are read from outside where the system allows
 *     it; elsewhere the process's main thread, in which no program runs, watches and ends it (`main.mjs`).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { AppError, messageOf } from '#contracts/errors';
import type { Logger } from '#observability/logger';
import type { InterpreterExit, InterpreterId, Sandbox, Usage } from '../../backend.ts';
import { EmbeddedChannel } from './channel.ts';
import { parseNotice, type SupervisorNotice } from './notices.ts';
import { type ProcessFigures, ProcessWatch } from './process-watch.ts';
import { folderBytes } from './scratch.ts';
import { encodeInput, WireScanner } from './wire.ts';

export interface EmbeddedProcess {
  readonly deno: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** What the inside needs to know, as its first record. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly mark: Buffer;
  readonly memoryBytesMax: number;
  readonly scratch: string;
  readonly scratchBytesMax: number;
  readonly watch: 'outside' | 'inside';
  readonly logger: Logger;
  /** Host path of Python's start-up image, readable inside; undefined when there is none. */
  readonly pythonImage: () => Promise<string | undefined>;
  /** Called when the process is gone, before `kill` resolves. */
  readonly release: () => Promise<void>;
}

const SUPERVISOR = 0;
const CHANNELS: Readonly<Partial<Record<InterpreterId, number>>> = { python: 1, javascript: 2, bash: 3 };
/** Pyodide without its cached image takes 4 s on a slow machine; a start that takes this long has failed. */
const START_MS_MAX = 60_000;
/** What Deno itself says when it dies, for the log. */
const LAST_WORDS_BYTES = 4_000;
const SCRATCH_LOOK_MS = 250;
const HEAP_EXHAUSTED = /JavaScript heap out of memory|Fatal JavaScript (?:out of memory|invalid size error)|OOM error/;

export class EmbeddedSandbox implements Sandbox {
  readonly #process: EmbeddedProcess;
  readonly #child: ChildProcess;
  readonly #streams: { readonly stdin: Writable; readonly stdout: Readable; readonly stderr: Readable };
  readonly #watch: ProcessWatch | undefined;
  readonly #channels = new Map<InterpreterId, EmbeddedChannel>();
  readonly #ended: Promise<void>;
  readonly #up: Promise<boolean>;
  readonly #resolveUp: (isUp: boolean) => void;
  #output: (stream: 'stdout' | 'stderr', bytes: Buffer) => void = () => {};
  #onEnd: (() => void) | undefined;
  #hasEnded = false;
  /** What comes on standard error then is about a start that fails. */
  #isStarting = true;
  #lastWords = '';
  #figures: ProcessFigures = { memoryBytes: 0, cpuMs: 0 };
  #peakMemoryBytes = 0;
  #oomKills = 0;
  #isHeapExhausted = false;
  #isScratchFull = false;
  #scratchLookedAt = 0;

  constructor(process_: EmbeddedProcess) {
    this.#process = process_;
    const { deno, args, cwd, env } = process_;
    this.#child = spawn(deno, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });
    const { stdin, stdout, stderr } = this.#child;
    if (!stdin || !stdout || !stderr) throw new TypeError('The process was spawned without pipes');
    this.#streams = { stdin, stdout, stderr };
    this.#readOutput();
    // A write to a process that has just died fails; its end is told by `close`.
    stdin.on('error', () => {});
    ({ promise: this.#up, resolve: this.#resolveUp } = Promise.withResolvers<boolean>());
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ended = promise;
    this.#child.once('error', (error) => this.#remember(messageOf(error)));
    this.#child.once('close', (exitCode, signal) => resolve(this.#end({ exitCode, signal })));
    if (process_.watch === 'outside' && this.#child.pid !== undefined) {
      this.#watch = new ProcessWatch(this.#child.pid, (figures) => this.#judge(figures));
    }
    stdin.write(encodeInput(SUPERVISOR, Buffer.from(JSON.stringify(process_.settings))));
  }

  /** Resolves when the process stands and has found its permissions to be as they should. */
  async stands(): Promise<void> {
    const timer = setTimeout(this.#resolveUp, START_MS_MAX, false);
    const isUp = await this.#up.finally(() => clearTimeout(timer));
    this.#isStarting = false;
    if (isUp) return;
    await this.kill();
    throw this.#failure('process');
  }

  onOutput(listener: (stream: 'stdout' | 'stderr', bytes: Buffer) => void): void {
    this.#output = listener;
  }

  /** There are no child processes that could come. */
  onVisit(): void {}

  pauseOutput(): void {
    this.#streams.stdout.pause();
    this.#streams.stderr.pause();
  }

  resumeOutput(): void {
    this.#streams.stdout.resume();
    this.#streams.stderr.resume();
  }

  async start(interpreter: InterpreterId): Promise<EmbeddedChannel> {
    const number = CHANNELS[interpreter];
    if (this.#hasEnded || number === undefined) throw this.#failure(interpreter);
    const known = this.#channels.get(interpreter);
    if (known && !known.hasEnded) throw new TypeError(`The interpreter "${interpreter}" is running already`);
    const channel = new EmbeddedChannel({
      send: (bytes) => {
        this.#watch?.expectWork();
        this.#streams.stdin.write(encodeInput(number, bytes));
      },
      unreadBytes: () => this.#streams.stdin.writableLength,
      interrupt: () => this.#command({ interrupt: interpreter }),
    });
    this.#channels.set(interpreter, channel);
    this.#isStarting = true;
    const image = interpreter === 'python' ? await this.#process.pythonImage() : undefined;
    this.#watch?.expectWork();
    this.#command({ start: interpreter, ...(image === undefined ? {} : { image }) });
    const isReady = await channel.becomesReady(START_MS_MAX);
    this.#isStarting = false;
    if (!isReady) throw this.#failure(interpreter);
    return channel;
  }

  usage(): Usage {
    this.#watch?.lookNow();
    return {
      memoryBytes: this.#hasEnded ? null : this.#figures.memoryBytes,
      peakMemoryBytes: this.#peakMemoryBytes,
      cpuMs: this.#process.watch === 'outside' ? this.#figures.cpuMs : null,
      oomKills: this.#oomKills,
      tmpFull: this.#isScratchFull,
    };
  }

  resetPeak(): void {
    this.#peakMemoryBytes = this.#figures.memoryBytes;
  }

  onEnd(listener: () => void): void {
    this.#onEnd = listener;
    if (this.#hasEnded) listener();
  }

  async kill(): Promise<void> {
    // Not SIGTERM: a program can catch that.
    this.#child.kill('SIGKILL');
    // A paused stream never ends, and the process is not gone before its streams are.
    this.resumeOutput();
    await this.#ended;
  }

  #readOutput(): void {
    const channels = new Map(Object.entries(CHANNELS).map(([id, channel]) => [channel, id as InterpreterId]));
    const scanner = new WireScanner(this.#process.mark, {
      output: (bytes) => {
        if (this.#isStarting) this.#remember(bytes.toString('utf8'));
        this.#output('stderr', bytes);
      },
      record: (channel, payload) => {
        const id = channels.get(channel);
        if (id === undefined) this.#notice(parseNotice(payload));
        else this.#channels.get(id)?.receive(payload);
      },
    });
    this.#streams.stdout.on('data', (bytes: Buffer) => this.#output('stdout', bytes));
    this.#streams.stderr.on('data', (bytes: Buffer) => {
      try {
        scanner.push(bytes);
      } catch (error) {
        this.#violation(messageOf(error));
      }
      if (HEAP_EXHAUSTED.test(bytes.toString('latin1', 0, LAST_WORDS_BYTES))) this.#isHeapExhausted = true;
    });
    this.#streams.stderr.on('end', () => scanner.flush());
  }

  #notice(notice: SupervisorNotice | undefined): void {
    if (notice === undefined) return this.#violation('A notice that says nothing');
    switch (notice.kind) {
      case 'up':
        this.#resolveUp(true);
        return;
      case 'gone':
        this.#channels.get(notice.interpreter)?.end({ exitCode: notice.exitCode, signal: null });
        return;
      case 'memory':
        if (this.#process.watch === 'inside') this.#judge({ memoryBytes: notice.bytes, cpuMs: 0 });
        return;
      default:
        notice satisfies never;
    }
  }

  #judge(figures: ProcessFigures): void {
    this.#figures = figures;
    this.#peakMemoryBytes = Math.max(this.#peakMemoryBytes, figures.memoryBytes);
    if (figures.memoryBytes > this.#process.memoryBytesMax) {
      this.#oomKills += 1;
      this.#child.kill('SIGKILL');
      this.#watch?.end();
    }
    void this.#judgeScratch();
  }

  /** Looked at less often than memory: it takes a walk through the folder. */
  async #judgeScratch(): Promise<void> {
    const now = performance.now();
    if (now - this.#scratchLookedAt < SCRATCH_LOOK_MS || this.#hasEnded) return;
    this.#scratchLookedAt = now;
    const bytes = await folderBytes(this.#process.scratch);
    this.#isScratchFull = bytes >= this.#process.scratchBytesMax;
    if (this.#isScratchFull) this.#child.kill('SIGKILL');
  }

  #violation(message: string): void {
    this.#process.logger.warn('A sandbox broke its own protocol and is ended', { message });
    this.#child.kill('SIGKILL');
  }

  #command(command: Readonly<Record<string, string>>): void {
    this.#streams.stdin.write(encodeInput(SUPERVISOR, Buffer.from(JSON.stringify(command))));
  }

  #remember(text: string): void {
    this.#lastWords = (this.#lastWords + text).slice(-LAST_WORDS_BYTES);
  }

  async #end(exit: InterpreterExit): Promise<void> {
    this.#hasEnded = true;
    this.#watch?.end();
    this.#resolveUp(false);
    if (this.#isHeapExhausted && this.#oomKills === 0 && exit.signal !== 'SIGKILL') this.#oomKills += 1;
    for (const channel of this.#channels.values()) channel.end(exit);
    this.#onEnd?.();
    await this.#process.release();
  }

  #failure(part: string): AppError {
    const said = this.#lastWords.trim();
    return new AppError('SANDBOX_FAILED', `The embedded ${part} did not start${said === '' ? '' : `: ${said}`}`, {
      hint: 'Run sallyport doctor',
    });
  }
}
