/**
 * What a run leaves in the event loop.
 *
 * A run ends when Node itself would end the script: nothing is left that could still happen. Two kinds of things must
 * not wait for that: listening servers (the next run may want to talk to them), and whatever an interrupted run, or one
 * that called `process.exit()`, still had going on. Timers are cleared, threads ended, children not listened to any more;
 * other handles stay open but hold nothing up.
 */
import { listen } from './listeners.mjs';
import { diagnosticsChannel, process } from './node.mjs';
import { activeImmediates, activeTimers, forgetTimers } from './node-internals.mjs';

const { clearTimeout, clearImmediate } = globalThis;
const getActiveHandles = process._getActiveHandles.bind(process);

export class Leftovers {
  #isReleasing = false;
  /** Servers and their connections that began in this run and hold it. */
  #holding = new Set();
  #workers = new Set();
  /** Child processes that began in this run. */
  #children = new Set();
  /** Handles of the interpreter's own. */
  #kept;

  /** @param {Iterable<object>} kept */
  constructor(kept) {
    this.#kept = new Set(kept);
    diagnosticsChannel.subscribe('tracing:net.server.listen:asyncEnd', ({ server }) => this.#addServer(server));
    diagnosticsChannel.subscribe('net.server.socket', ({ socket }) => this.#addServer(socket));
    diagnosticsChannel.subscribe('child_process', ({ process: child }) => this.#children.add(child));
    listen('worker', (worker) => {
      this.#workers.add(worker);
      worker.once('exit', () => this.#workers.delete(worker));
    });
  }

  #addServer(handle) {
    if (this.#isReleasing) handle.unref();
    else this.#holding.add(handle);
  }

  /** A run begins: from here on its servers hold it, until its main part has finished. */
  begin() {
    this.#isReleasing = false;
    this.#children.clear();
  }

  /** The main part has finished: servers, present and coming, and their connections hold nothing up any more. */
  releaseServers() {
    this.#isReleasing = true;
    for (const handle of this.#holding) handle.unref();
    this.#holding.clear();
  }

  /** The run ends before its time. */
  abandon() {
    this.releaseServers();
    for (const timer of activeTimers()) clearTimeout(timer);
    for (const immediate of activeImmediates()) clearImmediate(immediate);
    for (const worker of this.#workers) void worker.terminate();
    for (const child of this.#children) silence(child);
    for (const handle of getActiveHandles()) if (!this.#kept.has(handle)) handle.unref?.();
  }

  /**
   * The same, where a callback is or will be torn down: it does not get to count itself out, and Node would wait for it
   * for ever.
   */
  abandonAll() {
    this.abandon();
    forgetTimers();
  }
}

/** Nothing is heard of a child process any more, as if the program had ended. */
function silence(child) {
  for (const emitter of [child, ...(child.stdio ?? [])]) {
    emitter?.removeAllListeners();
    emitter?.on('error', () => {});
    emitter?.destroy?.();
  }
}
