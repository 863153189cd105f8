/**
 * One started interpreter as the host sees it: a control socket, and what the supervisor says about the process.
 *
 * The exit is told once, when both the socket has ended and the supervisor has told the code, so that no last frame is
 * lost. A child that still holds the socket, or a supervisor that says nothing, delays it only a little.
 */

import type { Socket } from 'node:net';
import { constants } from 'node:os';
import { AppError } from '#contracts/errors';
import type { InterpreterChannel, InterpreterExit, InterpreterId } from '../backend.ts';

const SETTLE_MS = 30;
const READY_TIMEOUT_MS = 30_000;
/** `ready` has a version in it and nothing else. */
const READY_BYTES_MAX = 1024;

/** Some numbers have two names; these are the second ones. */
const SECOND_NAMES = ['SIGIOT', 'SIGPOLL', 'SIGUNUSED'];
const SIGNAL_NAMES = new Map(
  Object.entries(constants.signals)
    .filter(([name]) => !SECOND_NAMES.includes(name))
    .map(([name, number]) => [number, name]),
);

export class SlotChannel implements InterpreterChannel {
  readonly #socket: Socket;
  readonly #interruptGroup: (pid: number) => void;
  #pid: number | undefined;
  #exit: InterpreterExit | undefined;
  #hasSocketEnded = false;
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;
  #onExit: ((exit: InterpreterExit) => void) | undefined;

  constructor(socket: Socket, interruptGroup: (pid: number) => void) {
    this.#socket = socket;
    this.#interruptGroup = interruptGroup;
    socket.once('close', () => this.#socketEnded());
    socket.once('end', () => this.#socketEnded());
  }

  send(bytes: Buffer): void {
    if (this.#socket.writable) this.#socket.write(bytes);
  }

  get unreadBytes(): number {
    return this.#socket.writableLength;
  }

  onData(listener: (bytes: Buffer) => void): void {
    this.#socket.on('data', listener);
    // A stream that was paused by hand does not start again for a listener.
    this.#socket.resume();
  }

  onExit(listener: (exit: InterpreterExit) => void): void {
    this.#onExit = listener;
    if (this.#isOver) listener(this.#known());
  }

  interrupt(): void {
    if (this.#pid !== undefined && !this.#isOver) this.#interruptGroup(this.#pid);
  }

  /** Told by the supervisor: the leader of the interpreter's process group, in the namespace's own numbers. */
  setPid(pid: number): void {
    this.#pid = pid;
  }

  /** Told by the supervisor: what its shell calls the exit code. */
  setExitCode(code: number): void {
    const signal = SIGNAL_NAMES.get(code - 128);
    this.#exit = signal === undefined ? { exitCode: code, signal: null } : { exitCode: null, signal };
    this.#settle();
  }

  /** Everything inside is dead. */
  sandboxEnded(): void {
    this.#exit ??= { exitCode: null, signal: 'SIGKILL' };
    this.#over();
  }

  /** Resolves when the interpreter's first frame was `ready`. What follows that frame stays in the socket. */
  async waitUntilReady(interpreter: InterpreterId): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const failed = (reason: string) =>
      reject(new AppError('SANDBOX_FAILED', `The ${interpreter} interpreter did not start: ${reason}`));
    let bytes = Buffer.alloc(0);
    const onData = (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      const end = readyFrameEnd(bytes);
      if (end === 'wait' && bytes.length < READY_BYTES_MAX) return;
      this.#socket.off('data', onData);
      this.#socket.pause();
      if (typeof end !== 'number') return failed('it spoke before it was ready');
      if (end < bytes.length) this.#socket.unshift(bytes.subarray(end));
      resolve();
    };
    const timer = setTimeout(() => failed(`not ready after ${READY_TIMEOUT_MS / 1000} s`), READY_TIMEOUT_MS);
    this.#socket.on('data', onData).resume();
    this.onExit(({ exitCode, signal }) => failed(`it ended with ${signal ?? `exit code ${exitCode}`}`));
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      this.#onExit = undefined;
    }
  }

  #socketEnded(): void {
    this.#hasSocketEnded = true;
    this.#settle();
  }

  #settle(): void {
    if (this.#hasSocketEnded && this.#exit) this.#over();
    else this.#timer ??= setTimeout(() => this.#over(), SETTLE_MS);
  }

  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#socket.destroy();
    this.#onExit?.(this.#known());
  }

  #known(): InterpreterExit {
    return this.#exit ?? { exitCode: null, signal: null };
  }
}

/** Where the frame `ready` ends in the bytes; `wait` when it is not whole yet. */
function readyFrameEnd(bytes: Buffer): number | 'wait' | 'other' {
  const text = bytes.toString('latin1');
  const head = /^ready (\d)\n/.exec(text);
  if (!head) return text.includes('\n') || !'ready '.startsWith(text.slice(0, 6)) ? 'other' : 'wait';
  let at = head[0].length;
  for (let field = Number(head[1]); field > 0; field--) {
    const line = /^[a-z-]+ (\d{1,3})\n/.exec(text.slice(at));
    if (!line) return text.slice(at).includes('\n') ? 'other' : 'wait';
    at += line[0].length + Number(line[1]) + 1;
  }
  return at <= bytes.length ? at : 'wait';
}
