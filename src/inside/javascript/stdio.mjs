/**
 * Descriptors 0, 1 and 2.
 *
 * - Output goes out in the moment it is written, in order with that of child processes and `fs.writeSync(1)`. Node's
 *   own stream for pipes would make the descriptor non-blocking for everyone who shares it.
 * - Node has no dup2, but a closed descriptor is the lowest free one, so the next open gets its number.
 * - The ends of runs are written to descriptors of our own, which a program does not close by accident.
 */
import { fs, os, path, process, stream } from './node.mjs';

const { O_RDONLY, O_WRONLY } = fs.constants;
const { nextTick } = process;
const TEMPORARY = os.tmpdir();

export class Stdio {
  #saved = { 1: reopened(1), 2: reopened(2) };
  #identity = { 1: identityOf(1), 2: identityOf(2) };
  #nullIdentity = fs.statSync('/dev/null').rdev;
  #stdin = undefined;
  #stdinFiles = 0;
  #streams = {};

  /** Puts `process.stdin`, `stdout` and `stderr` into place. */
  install() {
    this.#openStreams();
    Object.defineProperty(process, 'stdin', {
      configurable: true,
      enumerable: true,
      get: () => {
        this.#stdin ??= new fs.ReadStream('', { fd: 0, autoClose: false });
        return this.#stdin;
      },
    });
  }

  get stdout() {
    return this.#streams[1];
  }

  get stderr() {
    return this.#streams[2];
  }

  /** Before a run: what it finds at 0, 1 and 2 is as if nothing had run before. */
  prepare(stdin) {
    this.#stdin?.destroy();
    this.#stdin = undefined;
    this.#prepareStdin(stdin);
    for (const fd of [1, 2]) {
      if (identityOf(fd) !== this.#identity[fd]) replaceDescriptor(fd, `/proc/self/fd/${this.#saved[fd]}`, O_WRONLY);
    }
  }

  /** After a run: writes what it left in a corked stream. */
  flush() {
    for (const stream of [this.stdout, this.stderr]) while (stream.writableCorked > 0) stream.uncork();
  }

  /**
   * After a run: a stream that failed (its descriptor was closed), or whose write was torn down by an interrupt, takes no
   * more data.
   *
   * @returns {'whole' | 'failed' | 'torn'} anything but `whole` means that there are new streams
   */
  repairStreams() {
    const streams = [this.stdout, this.stderr];
    const hasFailed = streams.some((stream) => stream.errored !== null);
    // Every write ends before it returns, so there is nothing on its way between two of them.
    const isTorn = streams.some((stream) => stream.writableLength > 0);
    if (hasFailed || isTorn) this.#openStreams();
    return hasFailed ? 'failed' : isTorn ? 'torn' : 'whole';
  }

  #openStreams() {
    for (const [fd, name] of [
      [1, 'stdout'],
      [2, 'stderr'],
    ]) {
      this.#streams[fd] = new DescriptorStream(fd);
      Object.defineProperty(process, name, {
        value: this.#streams[fd],
        configurable: true,
        enumerable: true,
        writable: true,
      });
      // The console remembers the stream that it used first.
      console[`_${name}`] = this.#streams[fd];
    }
  }

  #prepareStdin(bytes) {
    if (bytes === undefined) {
      if (deviceOf(0) !== this.#nullIdentity) replaceDescriptor(0, '/dev/null', O_RDONLY);
      return;
    }
    // A file, not a pipe: nobody has to feed it while the program runs, and children can share it.
    const file = path.join(TEMPORARY, `.stdin-${process.pid}-${++this.#stdinFiles}`);
    try {
      fs.writeFileSync(file, bytes, { flag: 'wx', mode: 0o600 });
      replaceDescriptor(0, file, O_RDONLY);
    } finally {
      fs.rmSync(file, { force: true });
    }
  }

  /** Writes past all streams, to where the host reads. */
  write(fd, data) {
    writeAll(this.#saved[fd], typeof data === 'string' ? Buffer.from(data) : data);
  }
}

/** Each write is done when `write()` returns. It outlives `end()` and `destroy()`: the next run prints as well. */
class DescriptorStream extends stream.Writable {
  constructor(fd) {
    super({ decodeStrings: true, emitClose: false, autoDestroy: false });
    this.fd = fd;
    this._type = 'fs';
  }

  end(...args) {
    const callback = typeof args.at(-1) === 'function' ? args.pop() : undefined;
    if (args[0] !== undefined && args[0] !== null) this.write(args[0], args[1]);
    nextTick(() => {
      this.emit('finish');
      callback?.();
    });
    return this;
  }

  destroy() {
    return this;
  }

  _write(chunk, _encoding, callback) {
    try {
      writeAll(this.fd, chunk);
    } catch (error) {
      callback(error);
      return;
    }
    callback();
  }
}

const pause = new Int32Array(new SharedArrayBuffer(4));

/** A child that shares the descriptor may have made it non-blocking; then a full pipe answers EAGAIN. */
function writeAll(fd, bytes) {
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

function reopened(fd) {
  try {
    return fs.openSync(`/proc/self/fd/${fd}`, O_WRONLY);
  } catch (error) {
    if (error.code !== 'ENXIO') throw error;
    return fd; // a socket cannot be opened by its name; then there is only the one
  }
}

function replaceDescriptor(fd, file, flags) {
  try {
    fs.closeSync(fd);
  } catch (error) {
    if (error.code !== 'EBADF') throw error;
  }
  const got = fs.openSync(file, flags);
  if (got === fd) return;
  fs.closeSync(got);
  throw new Error(`Descriptor ${fd} cannot be put back`);
}

function identityOf(fd) {
  const stat = statOf(fd);
  return stat && `${stat.dev}:${stat.ino}`;
}

function deviceOf(fd) {
  const stat = statOf(fd);
  return stat?.isCharacterDevice() ? stat.rdev : undefined;
}

function statOf(fd) {
  try {
    return fs.fstatSync(fd);
  } catch (error) {
    if (error.code !== 'EBADF') throw error;
    return undefined;
  }
}
