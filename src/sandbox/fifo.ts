/**
 * Named pipes without names: what a program's stdout and stderr are.
 *
 * Node's own pipes are sockets, and `> /dev/stdout` cannot open a socket. Node cannot make a FIFO either, so `mkfifo`
 * makes a handful at a time in a private folder; each is opened at both ends and unlinked before anybody else sees it.
 */
import { constants, fchownSync, openSync, unlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, messageOf } from '#contracts/errors';
import { runCommand } from './process.ts';

export interface Fifo {
  /** Both belong to the taker, who closes them. */
  readonly readFd: number;
  readonly writeFd: number;
}

const BATCH = 16;
/** A new batch is made when fewer are left; two sandboxes' worth. */
const LOW = 4;
const MKFIFO_TIMEOUT_MS = 5_000;

export class FifoStore {
  readonly #directory: string;
  readonly #mkfifo: string;
  readonly #spare: string[] = [];
  #making: Promise<void> | undefined;
  #count = 0;

  /** `directory` is private (0700), exists, and belongs to this store. */
  constructor(directory: string, mkfifo: string) {
    this.#directory = directory;
    this.#mkfifo = mkfifo;
  }

  /** Makes the first ones ahead of time. */
  prepare(): void {
    this.#refill().catch(() => {}); // whoever takes one is told
  }

  /** A pipe that only the holder of these descriptors can reach. With `owner`, that user may open it again by /proc. */
  async take(owner: number | undefined): Promise<Fifo> {
    for (;;) {
      const path = this.#spare.pop();
      if (path === undefined) await this.#refill();
      else {
        if (this.#spare.length < LOW) this.prepare();
        return openBothEnds(path, owner);
      }
    }
  }

  async close(): Promise<void> {
    await this.#making?.catch(() => {}); // its files are removed below in any case
    this.#spare.length = 0;
    await rm(this.#directory, { recursive: true, force: true });
  }

  #refill(): Promise<void> {
    this.#making ??= this.#make().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  async #make(): Promise<void> {
    const paths = Array.from({ length: BATCH }, () => join(this.#directory, `fifo-${++this.#count}`));
    const failure = await runCommand(this.#mkfifo, ['-m', '600', ...paths], { timeoutMs: MKFIFO_TIMEOUT_MS }).then(
      ({ exitCode, stderr }) => (exitCode === 0 ? undefined : stderr.trim()),
      messageOf,
    );
    if (failure !== undefined) throw new AppError('SANDBOX_FAILED', `Cannot make pipes: ${failure}`);
    this.#spare.push(...paths);
  }
}

function openBothEnds(path: string, owner: number | undefined): Fifo {
  // The reader first: without one, opening the other end would wait for it.
  const readFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writeFd = openSync(path, constants.O_WRONLY);
  unlinkSync(path);
  if (owner !== undefined) fchownSync(writeFd, owner, owner);
  return { readFd, writeFd };
}
