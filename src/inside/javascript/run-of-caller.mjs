/**
 * In the name of which run the code that calls is running. What a run started carries it along: a timer that an earlier
 * run left behind calls in that run's name, and the host knows that it has ended.
 */
export class RunOfCaller {
  #storage;
  #latest = '';

  /** @param {typeof import('node:async_hooks').AsyncLocalStorage} AsyncLocalStorage */
  constructor(AsyncLocalStorage) {
    this.#storage = new AsyncLocalStorage();
  }

  /** Everything that is started from here on belongs to this run. */
  begin(run) {
    this.#latest = run;
    this.#storage.enterWith(run);
  }

  get() {
    return this.#storage.getStore() ?? this.#latest;
  }
}
