/** The control channel of one interpreter inside. */
import type { InterpreterChannel, InterpreterExit } from '../../backend.ts';

export interface ChannelWays {
  send(bytes: Buffer): void;
  unreadBytes(): number;
  interrupt(): void;
}

export class EmbeddedChannel implements InterpreterChannel {
  readonly #ways: ChannelWays;
  /** Frames that come before anybody listens: the first is `ready`. */
  #early: Buffer[] = [];
  #onData: ((bytes: Buffer) => void) | undefined;
  #onExit: ((exit: InterpreterExit) => void) | undefined;
  #onReady: (isReady: boolean) => void = () => {};
  #isReady = false;
  #exit: InterpreterExit | undefined;

  constructor(ways: ChannelWays) {
    this.#ways = ways;
  }

  get hasEnded(): boolean {
    return this.#exit !== undefined;
  }

  /** Whether the interpreter speaks within the time. */
  async becomesReady(waitMs: number): Promise<boolean> {
    if (this.#isReady || this.#exit) return this.#isReady;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(resolve, waitMs, false);
    this.#onReady = resolve;
    return promise.finally(() => clearTimeout(timer));
  }

  send(bytes: Buffer): void {
    if (!this.#exit) this.#ways.send(bytes);
  }

  get unreadBytes(): number {
    return this.#ways.unreadBytes();
  }

  interrupt(): void {
    if (!this.#exit) this.#ways.interrupt();
  }

  onData(listener: (bytes: Buffer) => void): void {
    this.#onData = listener;
    for (const bytes of this.#early.splice(0)) listener(bytes);
  }

  onExit(listener: (exit: InterpreterExit) => void): void {
    this.#onExit = listener;
    if (this.#exit) listener(this.#exit);
  }

  receive(bytes: Buffer): void {
    if (this.#exit) return;
    if (this.#onData) this.#onData(bytes);
    else this.#early.push(bytes);
    this.#isReady = true;
    this.#onReady(true);
  }

  end(exit: InterpreterExit): void {
    if (this.#exit) return;
    this.#exit = exit;
    this.#onReady(false);
    this.#onExit?.(exit);
  }
}
