/**
 * What a run still has going on after its last statement: timers, and operations on files. Deno can tell of its timers;
 * operations are counted by those who start them.
 */
import process from 'node:process';
import timers from 'node:timers';
import { guarded } from '../../javascript/intrinsics.mjs';

const { setTimeout, setInterval, setImmediate, clearTimeout, clearImmediate } = timers;
/** A program may put its own in its place. */
const OwnPromise = globalThis.Promise;

/** First looks come quickly, since most programs end at once. */
const LOOK_MS = [1, 1, 2, 2, 5];
const LOOK_MS_MAX = 10;

export class Activity {
  #operations = 0;
  #timers = new Set();

  /** Has timers remembered, so that they can be taken back. */
  install() {
    const remember = (schedule) => {
      const remembering = (...args) => {
        const timer = schedule(...args);
        this.#timers.add(timer);
        return timer;
      };
      // `util.promisify(setTimeout)` looks for these.
      return Object.defineProperties(remembering, Object.getOwnPropertyDescriptors(schedule));
    };
    for (const [name, schedule] of Object.entries({ setTimeout, setInterval, setImmediate })) {
      timers[name] = remember(schedule);
      globalThis[name] = timers[name];
    }
  }

  /** @returns {() => void} to be called when the operation is over; further calls do nothing */
  begin() {
    this.#operations += 1;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#operations -= 1;
    };
  }

  /** @template T @param {Promise<T>} promise @returns {Promise<T>} */
  during(promise) {
    return promise.finally(this.begin());
  }

  /** Resolves when nothing is left that could still happen, or `isOver` says that nobody waits any more. */
  async settles(isOver) {
    // Two turns: one for what the last statement has set off, one for what that has.
    await turn();
    await turn();
    for (let looks = 0; !isOver() && this.#isBusy(); looks++) {
      await new OwnPromise((resolve) => setTimeout(resolve, LOOK_MS[looks] ?? LOOK_MS_MAX).unref());
    }
  }

  /** Takes back all timers, and forgets operations that are on their way. */
  abandon() {
    for (const timer of this.#timers) {
      clearTimeout(timer);
      clearImmediate(timer);
    }
    this.forget();
  }

  /** A new run begins. */
  forget() {
    this.#timers.clear();
    this.#operations = 0;
  }

  #isBusy = guarded(
    () =>
      this.#operations > 0 ||
      process.getActiveResourcesInfo().some((kind) => kind === 'Timeout' || kind === 'Immediate'),
  );
}

function turn() {
  return new OwnPromise((resolve) => setImmediate(resolve));
}
