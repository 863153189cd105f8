/** One live interpreter of a sandbox, as frames instead of bytes. */
import { encodeFrame, type Frame, FrameReader, fieldText } from '#bridge/codec';
import { messageOf } from '#contracts/errors';
import { BOUNDS } from '#contracts/limits';
import type { InterpreterChannel, InterpreterExit, InterpreterId } from '#sandbox/backend';

export interface InterpreterListener {
  /** `done`, `image` and `call` frames. */
  frame(frame: Frame): void;
  /** The interpreter is gone. */
  gone(exit: InterpreterExit, reason: string | undefined): void;
}

export interface ParseVerdict {
  readonly ok: boolean;
  /** The language that it really is, where the interpreter takes more than one. */
  readonly language: string;
  readonly line: number | undefined;
  readonly column: number | undefined;
  readonly message: string | undefined;
  /** What a compiler said, where one was asked. */
  readonly diagnostics: string | undefined;
  /** Why it could not be checked at all: a code of `contracts/errors.ts`, or NOT_CHECKABLE. */
  readonly problem: string | undefined;
}

export interface CheckWork {
  readonly interpreter: InterpreterId;
  readonly language: string;
  readonly code: string;
  /** For `command`: what there is to do, as data. */
  readonly plan?: object;
}

const ANSWERS: ReadonlySet<string> = new Set(['pong', 'checked', 'probed']);

export class Interpreter {
  readonly #channel: InterpreterChannel;
  readonly #reader = new FrameReader();
  readonly #waiting = new Map<string, (frame: Frame | undefined) => void>();
  #listener: InterpreterListener | undefined;
  #count = 0;
  #isGone = false;

  constructor(channel: InterpreterChannel) {
    this.#channel = channel;
    channel.onData((bytes) => this.#read(bytes));
    channel.onExit((exit) => this.#end(exit, undefined));
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  listen(listener: InterpreterListener): void {
    this.#listener = listener;
  }

  /** What was sent and waits to be read. */
  get unreadBytes(): number {
    return this.#channel.unreadBytes;
  }

  send(verb: string, fields: ReadonlyArray<readonly [string, string | Uint8Array]>): void {
    if (this.#isGone) return;
    this.#channel.send(encodeFrame(verb, fields));
    // Only a program that makes calls by hand and never reads their answers gets here.
    if (this.unreadBytes > BOUNDS.repliesHeldBytesEnd)
      this.#end({ exitCode: null, signal: null }, 'it does not read the answers to its calls');
  }

  interrupt(): void {
    this.#channel.interrupt();
  }

  /** Whether the interpreter itself answers within the time. */
  async isHealthy(waitMs: number): Promise<boolean> {
    const answer = await this.#ask('ping', [], waitMs);
    return answer !== undefined;
  }

  /** Parses without running; undefined when the interpreter did not answer. */
  async check(
    { language, code, plan }: Omit<CheckWork, 'interpreter'>,
    waitMs: number,
  ): Promise<ParseVerdict | undefined> {
    const answer = await this.#ask(
      'check',
      [
        ['language', language],
        ['code', code],
        ...(plan === undefined ? [] : [['plan', JSON.stringify(plan)] as const]),
      ],
      waitMs,
    );
    if (answer === undefined) return undefined;
    const number = (name: string) => {
      const text = fieldText(answer, name);
      return text === undefined || !/^\d{1,9}$/.test(text) ? undefined : Number(text);
    };
    return {
      ok: fieldText(answer, 'ok') === '1',
      language: fieldText(answer, 'language') ?? language,
      line: number('line'),
      column: number('column'),
      message: fieldText(answer, 'message'),
      diagnostics: fieldText(answer, 'diagnostics'),
      problem: fieldText(answer, 'code'),
    };
  }

  /** Which tools there are behind the wall; undefined when the kernel did not answer or not with JSON. */
  async probe(plan: unknown, waitMs: number): Promise<unknown> {
    const answer = await this.#ask('probe', [['plan', JSON.stringify(plan)]], waitMs);
    try {
      return JSON.parse((answer && fieldText(answer, 'value')) ?? 'null') ?? undefined;
    } catch {
      return undefined; // forged
    }
  }

  #ask(verb: string, fields: ReadonlyArray<readonly [string, string]>, waitMs: number): Promise<Frame | undefined> {
    if (this.#isGone) return Promise.resolve(undefined);
    const id = `q${++this.#count}`;
    const { promise, resolve } = Promise.withResolvers<Frame | undefined>();
    const timer = setTimeout(() => resolve(undefined), waitMs);
    this.#waiting.set(id, resolve);
    this.send(verb, [['id', id], ...fields]);
    return promise.finally(() => {
      clearTimeout(timer);
      this.#waiting.delete(id);
    });
  }

  #read(bytes: Buffer): void {
    if (this.#isGone) return;
    try {
      for (const frame of this.#reader.push(bytes)) this.#take(frame);
    } catch (error) {
      // Only a program that writes to the control channel itself gets here; the interpreter is of no more use.
      this.#end({ exitCode: null, signal: null }, messageOf(error));
    }
  }

  #take(frame: Frame): void {
    if (ANSWERS.has(frame.verb)) this.#waiting.get(fieldText(frame, 'id') ?? '')?.(frame);
    else this.#listener?.frame(frame);
  }

  #end(exit: InterpreterExit, reason: string | undefined): void {
    if (this.#isGone) return;
    this.#isGone = true;
    for (const answer of this.#waiting.values()) answer(undefined);
    this.#listener?.gone(exit, reason);
  }
}
