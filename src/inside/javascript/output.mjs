/**
 * One of `process.stdout` and `process.stderr`, and what the console prints to.
 *
 * Output goes out in the moment it is written, in order with that of child processes and `fs.writeSync(1)`. Node's own
 * stream for pipes would make the descriptor non-blocking for everyone who shares it. The stream is made when a program
 * asks for it; until then the console writes without one, which spares loading them.
 */
import { events, fs, lazy, process } from './node.mjs';

const { nextTick } = process;
const pause = new Int32Array(new SharedArrayBuffer(4));

export class Output {
  #fd;
  #stream = undefined;
  #onStream;
  #isMuted = false;

  /**
   * @param {number} fd
   * @param {'stdout' | 'stderr'} name
   * @param {(stream: object) => void} onStream is told of every new stream
   */
  constructor(fd, name, onStream) {
    this.#fd = fd;
    this.#onStream = onStream;
    Object.defineProperty(process, name, { get: () => this.#open(), configurable: true, enumerable: true });
    console[`_${name}`] = new ConsoleSink(this.#write, () => this.#stream);
  }

  #open() {
    if (this.#stream) return this.#stream;
    this.#stream = createStream(this.#fd, this.#write);
    this.#onStream(this.#stream);
    return this.#stream;
  }

  #write = (bytes) => {
    if (!this.#isMuted) writeAll(this.#fd, bytes);
  };

  /** What is written is dropped, until `unmute()`. */
  mute() {
    this.#isMuted = true;
  }

  unmute() {
    this.#isMuted = false;
  }

  /**
   * After a run: writes what it left in a corked stream. One that failed (its descriptor was closed), or whose write was
   * torn down by an interrupt, takes no more data: the next run gets another.
   *
   * @returns {boolean} false when it had failed
   */
  settle() {
    const stream = this.#stream;
    if (stream === undefined) return true;
    while (stream.writableCorked > 0) stream.uncork();
    const hasFailed = stream.errored !== null;
    // Every write ends before it returns, so between two of them there is nothing on its way.
    if (hasFailed || stream.writableLength > 0) this.#stream = undefined;
    return !hasFailed;
  }
}

/** What the console needs of a stream. A program that has replaced `process.stdout.write` sees the console's lines too. */
class ConsoleSink extends events.EventEmitter {
  #write;
  #getStream;

  constructor(write, getStream) {
    super();
    this.#write = write;
    this.#getStream = getStream;
  }

  write(text, ...rest) {
    const stream = this.#getStream();
    if (stream) return stream.write(text, ...rest);
    this.#write(Buffer.from(text));
    return true;
  }
}

/** Each write is done when `write()` returns. It outlives `end()` and `destroy()`: the next run prints as well. */
function createStream(fd, writeBytes) {
  const { Writable } = lazy.stream();
  const stream = new Writable({
    emitClose: false,
    autoDestroy: false,
    write(chunk, _encoding, callback) {
      try {
        writeBytes(chunk);
      } catch (error) {
        callback(error);
        return;
      }
      callback();
    },
  });
  return Object.assign(stream, { fd, _type: 'fs', end: endWithoutClosing, destroy: () => stream });
}

function endWithoutClosing(...args) {
  const callback = typeof args.at(-1) === 'function' ? args.pop() : undefined;
  if (args[0] !== undefined && args[0] !== null) this.write(args[0], args[1]);
  nextTick(() => {
    this.emit('finish');
    callback?.();
  });
  return this;
}

/** A child that shares the descriptor may have made it non-blocking; then a full pipe answers EAGAIN. */
export function writeAll(fd, bytes) {
  let at = 0;
  while (at < bytes.length) {
    try {
      at += fs.writeSync(fd, bytes, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(pause, 0, 0, 2);
    }
  }
}
