/**
 * `mcp`, the program's way to its host: every method is a request that crosses the wall and comes back as a promise.
 * Many may be on their way at once.
 */

/** A request that the host refused or could not fulfil. */
export class ToolError extends Error {
  name = 'ToolError';

  constructor({ code, message }) {
    super(message);
    this.code = code;
  }
}

/** Requests on their way. `send(id, method, params)` puts one on the wire. */
export class Calls {
  #pending = new Map();
  #lastId = 0;
  #send;
  #onCountChange;

  constructor(send, onCountChange) {
    this.#send = send;
    this.#onCountChange = onCountChange;
  }

  /** @param {string} method @param {object} params @returns {Promise<unknown>} */
  call(method, params = {}) {
    return new Promise((resolve, reject) => {
      const text = JSON.stringify(params);
      const id = String(++this.#lastId);
      this.#pending.set(id, { resolve, reject });
      this.#onCountChange(this.#pending.size);
      this.#send(id, method, text);
    });
  }

  /** Answers to requests that nobody waits for are dropped. */
  settle(id, isOk, value) {
    const waiting = this.#pending.get(id);
    if (waiting === undefined) return;
    this.#pending.delete(id);
    this.#onCountChange(this.#pending.size);
    if (isOk) waiting.resolve(JSON.parse(value));
    else waiting.reject(new ToolError(JSON.parse(value)));
  }

  /** The run that asked is over. */
  forget() {
    this.#pending.clear();
    this.#onCountChange(0);
  }
}

/**
 * @param {(method: string, params?: object) => Promise<unknown>} call
 * @param {(text: string) => void} print
 */
export function createHatch(call, print) {
  const session = {
    reset: () => call('session.reset'),
    close: (name) => call('session.close', { name }),
    list: () => call('session.list'),
  };
  const help = async () => {
    print(`${String(await call('help')).trimEnd()}\n`);
  };
  const hatch = { session: Object.freeze(session), help, ToolError };
  // `const { mcp } = require('mcp')` and `import mcp from 'mcp'` are both the same object.
  for (const name of ['mcp', 'default']) Object.defineProperty(hatch, name, { value: hatch, enumerable: false });
  return Object.freeze(hatch);
}
