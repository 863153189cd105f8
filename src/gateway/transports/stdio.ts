/**
 * MCP over the standard streams of a process, as a transport for the SDK's client.
 *
 * Not the SDK's own: that one copies a long answer once per chunk, ends the connection over an answer that is too long,
 * and leaves behind what a server started. `stderr` and `pid` are also how the SDK recognises a process: it then asks
 * for the protocol's era on this very connection.
 */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { BOUNDS } from '#contracts/limits';
import { linkError, TOO_LONG } from './link-errors.ts';
import { MessageReader } from './message-reader.ts';
import { type ProcessEnd, type ProcessPlan, ServerProcess } from './server-process.ts';
import type { Tail } from './tail.ts';

const EXIT_NEWS_MS = 300;

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  /** What the server printed on standard error, and on standard output beside its messages. */
  readonly stderr: Tail;
  readonly #plan: ProcessPlan;
  #process: ServerProcess | undefined;
  #crash: ProcessEnd | undefined;
  #isClosing = false;

  constructor(plan: ProcessPlan, stderr: Tail) {
    this.#plan = plan;
    this.stderr = stderr;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** How the process ended, when it did so by itself: `exit code 1`. */
  get ending(): string | undefined {
    if (!this.#crash) return undefined;
    const { exitCode, signal } = this.#crash;
    return signal === null ? `exit code ${exitCode}` : `killed by ${signal}`;
  }

  async start(): Promise<void> {
    if (this.#process) throw new TypeError('The transport was started before');
    this.stderr.clear();
    const server = await ServerProcess.start(this.#plan);
    this.#process = server;
    const reader = new MessageReader(
      {
        message: (value) => this.#deliver(value),
        rubbish: (start) => this.stderr.add(Buffer.from(`${start}\n`)),
        tooLong: (id) => this.#refuseAnswer(id),
      },
      BOUNDS.upstreamMessageBytesMax,
    );
    server.stdout.on('data', (chunk: Buffer) => reader.add(chunk));
    server.stderr.on('data', (chunk: Buffer) => this.stderr.add(chunk));
    void server.exited.then((end) => {
      if (!this.#isClosing) this.#crash = end;
    });
    void server.ended.then(() => this.onclose?.());
    // Closed while it was starting: nobody would end it otherwise.
    if (this.#isClosing) await server.end();
  }

  send(message: JSONRPCMessage): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stdin = this.#process?.stdin;
    if (!stdin?.writable) {
      reject(new Error('The process takes no more input'));
      return promise;
    }
    const text = `${JSON.stringify(message)}\n`;
    if (text.length > BOUNDS.upstreamMessageBytesMax) {
      reject(new RangeError(`A message of ${text.length} bytes is longer than an upstream may be sent`));
      return promise;
    }
    stdin.write(text, (error) => {
      if (!error) return resolve();
      // A pipe breaks a moment before its process is known to have ended, and how it ended is the better reason.
      setTimeout(() => reject(error), EXIT_NEWS_MS);
    });
    return promise;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#process?.end();
  }

  /** The SDK's protocol layer tells messages from other JSON. */
  #deliver(value: unknown): void {
    const message = value as JSONRPCMessage;
    const isNotice = typeof message === 'object' && message !== null && 'method' in message;
    // The SDK handles a notice a moment after it came and an answer at once: of a call's progress, the last step would
    // come after the end and be lost.
    if (isNotice) this.onmessage?.(message);
    else queueMicrotask(() => this.onmessage?.(message));
  }

  /** An answer that is too long fails its own call; when nobody can say which that is, the connection is no use. */
  #refuseAnswer(id: number | undefined): void {
    if (id !== undefined) {
      this.onmessage?.(linkError(id, 'answerTooLong', TOO_LONG));
      return;
    }
    this.stderr.add(Buffer.from(`${TOO_LONG}\n`));
    this.#process?.killNow();
  }
}
