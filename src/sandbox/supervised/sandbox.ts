/** A standing wall: its output, its interpreters, its use of the machine, and its end. */
import { statfsSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '#contracts/errors';
import type { Logger } from '#observability/logger';
import type { InterpreterChannel, InterpreterId, Sandbox, Usage, Visitor } from '../backend.ts';
import type { LimitGroup } from '../limits/limiter.ts';
import { endProcess } from '../process.ts';
import type { RuntimeAnswer } from '../runtimes.ts';
import type { VisitorSocket } from '../visitor-socket.ts';
import { SlotChannel } from './channel.ts';
import { INTERPRETER_COMMANDS } from './commands.ts';
import { type Launched, SLOTS } from './launched.ts';

export interface SandboxParts {
  readonly launched: Launched;
  readonly group: Pick<LimitGroup, 'usage' | 'resetPeak'>;
  readonly runtimes: Readonly<Record<InterpreterId, RuntimeAnswer>>;
  /** Where processes inside come to the hatch. */
  readonly visitors?: VisitorSocket | undefined;
  readonly logger: Logger;
  /** Ends the group and frees what else belongs to this sandbox, after everything inside is dead. */
  readonly release: () => Promise<void>;
  readonly onFirstStart: () => void;
}

/** A folder is full when less than one page is left of it. */
const FULL_BELOW_BLOCKS = 1;
/** What was killed ends at once; after so long the harder way is taken. */
const END_MS = 2_000;
const DRAIN_MS = 100;
/** The supervisor's lines are short. More than this without an end was not written by it. */
const LINE_BYTES_MAX = 256;

export class SupervisedSandbox implements Sandbox {
  readonly #parts: SandboxParts;
  readonly #channels = new Map<number, SlotChannel>();
  readonly #endListeners: Array<() => void> = [];
  #nextSlot = 0;
  #hasEnded = false;
  #cleaning: Promise<void> | undefined;
  #lines = '';
  /** Whether somebody reads the output at this moment. */
  #isReading = false;

  constructor(parts: SandboxParts) {
    this.#parts = parts;
    parts.launched.supervisor.on('data', (bytes: Buffer) => this.#readSupervisor(bytes));
    parts.launched.supervisor.resume();
    parts.launched.ended
      .then(() => this.#clean())
      .catch((cause: unknown) => {
        parts.logger.error('Cannot clean up after a sandbox', { cause });
      });
  }

  onOutput(listener: (stream: 'stdout' | 'stderr', bytes: Buffer) => void): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      this.#parts.launched[stream].on('data', (bytes: Buffer) => listener(stream, bytes));
    }
    this.resumeOutput();
  }

  pauseOutput(): void {
    this.#isReading = false;
    for (const socket of this.#outputs()) socket.pause();
  }

  resumeOutput(): void {
    this.#isReading = true;
    for (const socket of this.#outputs()) socket.resume();
  }

  async start(interpreter: InterpreterId): Promise<InterpreterChannel> {
    const answer = this.#parts.runtimes[interpreter];
    if (!answer.found)
      throw new AppError('RUNTIME_MISSING', `No ${interpreter} here: ${answer.reason}`, { hint: answer.install });
    const slot = SLOTS[this.#nextSlot];
    const socket = this.#parts.launched.slots[this.#nextSlot];
    if (this.#hasEnded) throw new AppError('SANDBOX_FAILED', 'The sandbox has ended');
    if (slot === undefined || socket === undefined) {
      throw new AppError('SANDBOX_FAILED', `The sandbox has started ${SLOTS.length} interpreters, which is all it can`);
    }
    this.#nextSlot++;
    const channel = new SlotChannel(socket, (pid) => this.#tell(`int ${pid}\n`));
    this.#channels.set(slot, channel);
    const words = INTERPRETER_COMMANDS[interpreter](answer.runtime.binary);
    this.#tell(`start ${slot} ${words.length}\n${words.map((word) => `${word}\n`).join('')}`);
    await channel.waitUntilReady(interpreter);
    if (this.#nextSlot === 1) this.#parts.onFirstStart();
    return channel;
  }

  onVisit(listener: (visitor: Visitor) => void): void {
    this.#parts.visitors?.onVisit(listener);
  }

  usage(): Usage {
    const resources = this.#parts.group.usage();
    const isFull = () => ['tmp', 'dev/shm'].some((folder) => this.#isFull(folder));
    return {
      get peakMemoryBytes() {
        return resources.peakMemoryBytes;
      },
      get cpuMs() {
        return resources.cpuMs;
      },
      get oomKills() {
        return resources.oomKills;
      },
      get memoryBytes() {
        return resources.memoryBytes;
      },
      // Looked at only when somebody asks why a run failed.
      get tmpFull() {
        return isFull();
      },
    };
  }

  resetPeak(): void {
    this.#parts.group.resetPeak();
  }

  onEnd(listener: () => void): void {
    if (this.#hasEnded) listener();
    else this.#endListeners.push(listener);
  }

  async kill(): Promise<void> {
    const { launched } = this.#parts;
    launched.kill();
    const timer = setTimeout(() => launched.forceEnd(), END_MS);
    await launched.ended;
    clearTimeout(timer);
    await this.#clean();
  }

  #outputs(): Socket[] {
    return [this.#parts.launched.stdout, this.#parts.launched.stderr];
  }

  #tell(line: string): void {
    const { supervisor } = this.#parts.launched;
    if (supervisor.writable) supervisor.write(line);
  }

  #readSupervisor(bytes: Buffer): void {
    const lines = (this.#lines + bytes.toString('latin1')).split('\n');
    this.#lines = (lines.pop() ?? '').slice(0, LINE_BYTES_MAX);
    for (const line of lines) {
      const [, verb, slot, number] = /^(pid|exit) (\d) (\d{1,9})$/.exec(line) ?? [];
      const channel = this.#channels.get(Number(slot));
      if (verb === 'pid') channel?.setPid(Number(number));
      else if (verb === 'exit') channel?.setExitCode(Number(number));
    }
  }

  #isFull(folder: string): boolean {
    if (this.#hasEnded) return false;
    try {
      return statfsSync(`/proc/${this.#parts.launched.init.pid}/root/${folder}`).bavail < FULL_BELOW_BLOCKS;
    } catch {
      return false; // it ended this moment
    }
  }

  #clean(): Promise<void> {
    this.#cleaning ??= this.#cleanOnce();
    return this.#cleaning;
  }

  async #cleanOnce(): Promise<void> {
    this.#hasEnded = true;
    // Whatever held the wall up may have been killed alone; the namespace must not outlive it.
    await endProcess(this.#parts.launched.init);
    if (this.#isReading) await this.#drain();
    for (const channel of this.#channels.values()) channel.sandboxEnded();
    for (const listener of this.#endListeners) listener();
    const { supervisor, slots } = this.#parts.launched;
    for (const socket of [supervisor, ...slots, ...this.#outputs()]) socket.destroy();
    await this.#parts.release();
  }

  /** What was written before the end is still in the pipes: all of it is told before the end is. */
  async #drain(): Promise<void> {
    const open = this.#outputs().filter((socket) => !socket.readableEnded && !socket.destroyed);
    const drained = Promise.all(open.map((socket) => new Promise((resolve) => socket.once('end', resolve))));
    await Promise.race([drained, sleep(DRAIN_MS)]);
  }
}
