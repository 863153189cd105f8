/** `process.stdout`, `process.stderr` and the console: written in the moment they are written to. */
import { Console } from 'node:console';
import process from 'node:process';
import { Writable } from 'node:stream';

export class Output {
  #print;
  /** After `process.exit()`: code that catches the end, and goes on, is not heard any more. */
  isMuted = false;

  /** @param {(stream: 'stdout' | 'stderr', bytes: Uint8Array) => void} print */
  constructor(print) {
    this.#print = print;
  }

  /** Puts the streams and the console into place. */
  install() {
    for (const [name, fd] of Object.entries({ stdout: 1, stderr: 2 })) {
      Object.defineProperty(process, name, { value: this.#open(name, fd), configurable: true, writable: true });
    }
    globalThis.console = new Console({ stdout: process.stdout, stderr: process.stderr });
  }

  #open(name, fd) {
    const stream = new Writable({
      write: (chunk, _encoding, callback) => {
        if (!this.isMuted) this.#print(name, chunk);
        callback();
      },
    });
    // The next run needs them too.
    const end = (...args) => {
      const callback = args.findLast((argument) => typeof argument === 'function');
      if (args.length > 0 && args[0] !== callback) stream.write(args[0]);
      callback?.();
      return stream;
    };
    return Object.assign(stream, { fd, end, destroy: () => stream });
  }
}
