/**
 * SIGINT ends the program's code, whatever it is doing.
 *
 * Only `vm` can stop a running script, and only one of its own; the script below calls back into the work. For that Node
 * has a watching thread, which is kept alive here: starting it for each script would cost more than most programs.
 * While it lives it takes the signal for itself, so while no script runs, one has to ask it.
 *
 * A program that adds its own SIGINT listener takes the signal from the thread; then the event loop tells of it, and what
 * computes without end is not stopped, as in any Node program.
 */
import { listen } from './listeners.mjs';
import { process, vm } from './node.mjs';
import {
  allowTornCallbacks,
  forgetTornCallbacks,
  requestTicks,
  runDueTicks,
  watchChildren,
  watchdog,
  wrapCallbacks,
} from './node-internals.mjs';

const ASK_MS = 20;
/** What the watching thread may need to note a signal, on a busy machine. */
const EXPECT_MS = 100;
const KEY = 'sallyport.covered';
const { setInterval, clearInterval } = globalThis;
const { nextTick } = process;
const clock = new Int32Array(new SharedArrayBuffer(4));

const work = { current: undefined };
Object.defineProperty(globalThis, Symbol.for(KEY), { value: () => work.current() });
const script = new vm.Script(`globalThis[Symbol.for('${KEY}')]()`, { filename: '<sallyport>' });

/** To the event loop: timers are to be looked at again at once, and nobody waits for that. */
const LOOK_AGAIN = -1;

/** @typedef {{ kind: 'returned', value: unknown } | { kind: 'threw', thrown: unknown } | { kind: 'interrupted' }} Outcome */

export class Interrupts {
  #timer = undefined;
  /** Set while a run is going on. */
  #onInterrupt = undefined;

  constructor() {
    watchdog.start();
    wrapCallbacks((callback) => (argument) => this.#callBack(callback, argument));
    // The signal goes to the program's children too, and their end may be known before our part in it.
    watchChildren((signal) => {
      if (signal === 'SIGINT' && this.#onInterrupt && this.expect()) this.#tell();
    });
    listen('removeListener', (event) => {
      // The last listener is gone, and with it every handler of the signal.
      if (event === 'SIGINT' && process.listenerCount('SIGINT') === 0) watchdog.restart();
    });
  }

  /** Whether the signal came and nobody was told. */
  isPending() {
    return watchdog.isPending();
  }

  /** Whether the signal came; one that may be on its way is given the time to arrive. */
  expect() {
    for (let waited = 0; waited < EXPECT_MS && !this.isPending(); waited++) Atomics.wait(clock, 0, 0, 1);
    return this.isPending();
  }

  /** A run begins. `onInterrupt` is called at most once. */
  begin(onInterrupt) {
    // A signal that came too late for the last run is not for this one.
    if (this.isPending()) watchdog.forget();
    this.#onInterrupt = onInterrupt;
    this.#timer = setInterval(() => this.#ask(), ASK_MS);
    this.#timer.unref();
  }

  end() {
    this.#onInterrupt = undefined;
    clearInterval(this.#timer);
  }

  /**
   * Runs a piece of the program, and the ticks and promise reactions that are due after it.
   *
   * @param {() => unknown} piece
   * @returns {Outcome}
   */
  run(piece) {
    if (process.listenerCount('SIGINT') > 0) return attempt(piece);
    let outcome = { kind: 'interrupted' };
    work.current = () => {
      // Asked in here, where the script is being watched already: no signal falls between the two.
      if (this.isPending()) return;
      outcome = attempt(piece);
      runDueTicks();
    };
    allowTornCallbacks();
    try {
      script.runInThisContext({ breakOnSigint: true, displayErrors: false });
    } catch (error) {
      const isInterrupt = error?.code === 'ERR_SCRIPT_EXECUTION_INTERRUPTED';
      // Ticks may throw; the piece itself does not.
      outcome = isInterrupt ? tornDown() : { kind: 'threw', thrown: error };
    }
    if (this.#onInterrupt) requestTicks();
    return outcome;
  }

  /** What the event loop calls, while a run is going on. */
  #callBack(callback, argument) {
    // The callback itself does Node's bookkeeping, so it is called in any case.
    if (this.#onInterrupt && this.isPending()) this.#tell();
    if (this.#onInterrupt === undefined) return callback(argument);
    const outcome = this.run(() => callback(argument));
    if (outcome.kind === 'threw') throw outcome.thrown;
    if (outcome.kind === 'returned') return outcome.value;
    this.#tell();
    return LOOK_AGAIN;
  }

  #ask() {
    if (this.isPending()) {
      this.#tell();
    } else if (process.listenerCount('SIGINT') > 0) {
      // The program listens for itself: then so do we, behind it.
      clearInterval(this.#timer);
      process.on('SIGINT', () => nextTick(() => this.#tell()));
    }
  }

  #tell() {
    const onInterrupt = this.#onInterrupt;
    this.end();
    onInterrupt?.();
  }
}

/** @returns {Outcome} */
function attempt(piece) {
  try {
    return { kind: 'returned', value: piece() };
  } catch (thrown) {
    return { kind: 'threw', thrown };
  }
}

/** @returns {Outcome} */
function tornDown() {
  forgetTornCallbacks();
  return { kind: 'interrupted' };
}
