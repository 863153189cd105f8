/**
 * SIGINT ends the program's code, whatever it is doing.
 *
 * Only `vm` can stop a running script, and only one of its own; the script below calls back into the work. For that Node
 * has a watching thread, which is kept alive here: starting it for each script would cost more than most programs.
 * While it lives, it takes the signal for itself, so between scripts one has to ask it.
 *
 * A program that adds its own SIGINT listener takes the signal from the thread. Then it is told by the event loop.
 */
import { process, vm } from './node.mjs';
import { allowTornCallbacks, forgetTornCallbacks, watchdog } from './node-internals.mjs';

const ASK_MS = 20;
const EXPECT_MS = 20;
const clock = new Int32Array(new SharedArrayBuffer(4));
const KEY = 'sallyport.covered';
const { setInterval, clearInterval } = globalThis;
const { defineProperty } = Object;
const runTicks = process._tickCallback.bind(process);

const work = { current: undefined };
defineProperty(globalThis, Symbol.for(KEY), { value: () => work.current() });
const script = new vm.Script(`globalThis[Symbol.for('${KEY}')]()`, { filename: '<sallyport>' });

export class Interrupts {
  #timer = undefined;
  /** Whether listeners have had the signal since the thread registered for it. */
  #wasTaken = false;

  constructor() {
    watchdog.start();
  }

  /** Whether the signal came and nobody was told. */
  isPending() {
    return watchdog.isPending();
  }

  /** Gives a signal that must be on its way the time to arrive. */
  expect() {
    for (let waited = 0; waited < EXPECT_MS && !this.isPending(); waited++) Atomics.wait(clock, 0, 0, 1);
  }

  /** Forgets a signal that came too late for its run, and takes the signal back from listeners that are gone. */
  reset() {
    if (!watchdog.isPending() && !this.#wasTaken) return;
    watchdog.stop();
    watchdog.start();
    this.#wasTaken = false;
  }

  /**
   * Runs a piece of the program. Ticks and promise reactions that are due are run in here too, so that async programs
   * which only compute can be stopped as well.
   *
   * @param {() => unknown} piece
   * @returns {{ kind: 'returned', value: unknown } | { kind: 'threw', thrown: unknown } | { kind: 'interrupted' }}
   */
  run(piece) {
    if (watchdog.isPending()) return { kind: 'interrupted' };
    let outcome = { kind: 'interrupted' };
    work.current = () => {
      outcome = attempt(piece);
      runTicks();
    };
    allowTornCallbacks();
    const isTaken = process.listenerCount('SIGINT') > 0;
    // `vm` sets the listeners aside, and the thread must register for the signal anew.
    if (isTaken) watchdog.stop();
    try {
      script.runInThisContext({ breakOnSigint: true, displayErrors: false });
    } catch {
      // The work itself throws nothing: it was torn down.
      forgetTornCallbacks();
      outcome = { kind: 'interrupted' };
    }
    if (isTaken) watchdog.start();
    return outcome;
  }

  /** From now on, while the event loop turns, `onInterrupt` is called when the signal came. */
  watch(onInterrupt) {
    this.unwatch();
    this.#timer = setInterval(() => {
      if (watchdog.isPending()) this.#tell(onInterrupt);
      else if (process.listenerCount('SIGINT') > 0) this.#share(onInterrupt);
    }, ASK_MS);
    this.#timer.unref();
  }

  unwatch() {
    clearInterval(this.#timer);
  }

  #tell(onInterrupt) {
    this.unwatch();
    process.emit('SIGINT', 'SIGINT');
    onInterrupt();
  }

  /** The program listens for itself: then so do we, behind it. */
  #share(onInterrupt) {
    this.unwatch();
    this.#wasTaken = true;
    process.on('SIGINT', onInterrupt);
  }
}

function attempt(piece) {
  try {
    return { kind: 'returned', value: piece() };
  } catch (thrown) {
    return { kind: 'threw', thrown };
  }
}
