/**
 * Descriptors 0, 1 and 2.
 *
 * Node has no dup2, but a closed descriptor is the lowest free one, so the next open gets its number. The ends of runs are
 * written to descriptors of our own, which a program does not close by accident.
 */
import { fs, os, path, process } from './node.mjs';
import { writeAll } from './output.mjs';

const { O_RDONLY, O_WRONLY } = fs.constants;
const TEMPORARY = os.tmpdir();

export class Stdio {
  #saved = { 1: reopened(1), 2: reopened(2) };
  #identity = { 1: identityOf(1), 2: identityOf(2) };
  #nullIdentity = fs.statSync('/dev/null').rdev;
  #stdin = undefined;
  #stdinFiles = 0;

  constructor() {
    Object.defineProperty(process, 'stdin', {
      configurable: true,
      enumerable: true,
      get: () => {
        this.#stdin ??= new fs.ReadStream('', { fd: 0, autoClose: false });
        return this.#stdin;
      },
    });
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
