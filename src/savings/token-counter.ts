/** Tokens of texts (o200k_base), counted in a thread that is started for it and ends when nobody asks for a while. */
import { Worker } from 'node:worker_threads';
import type { Logger } from '#observability/logger';

const IDLE_MS = 60_000;

export class TokenCounter {
  readonly #logger: Logger;
  readonly #waiting = new Map<number, (tokens: number) => void>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #count = 0;
  #isLoaded = false;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** 0 when it cannot be counted; the log then says why. */
  count(texts: readonly string[]): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<number>();
    const id = ++this.#count;
    this.#waiting.set(id, resolve);
    this.prepare().postMessage({ id, texts });
    clearTimeout(this.#idle);
    return promise;
  }

  /** Ahead of the first count: loading takes a while. */
  prepare(): Worker {
    this.#worker ??= this.#start();
    return this.#worker;
  }

  /** Whether counting would not have to wait for the tokenizer to be loaded. */
  get isReady(): boolean {
    return this.#isLoaded;
  }

  close(): void {
    clearTimeout(this.#idle);
    this.#end();
  }

  #start(): Worker {
    const worker = new Worker(new URL(import.meta.resolve('#savings/count-worker')));
    worker.unref();
    worker.on('message', ({ id, tokens }: { id: number; tokens: number }) => this.#settle(id, tokens));
    worker.on('error', (cause) => {
      this.#logger.warn('Tokens cannot be counted', { cause });
      this.#end();
    });
    return worker;
  }

  #settle(id: number, tokens: number): void {
    this.#isLoaded = this.#worker !== undefined;
    this.#waiting.get(id)?.(tokens);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
  }

  #end(): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
    this.#isLoaded = false;
    for (const id of [...this.#waiting.keys()]) this.#settle(id, 0);
    clearTimeout(this.#idle);
  }
}
