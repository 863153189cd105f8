/**
 * `node:fs` as programs know it: their names for folders, Node's errors, standard input that is the run's own.
 *
 * The module's object is changed in place, so that `require('fs')` and the default import are the same thing;
 * `modules.mjs` sees to named imports.
 */
import fs from 'node:fs';
import { Readable } from 'node:stream';

const TWO_PATHS = /^(?:rename|copyFile|cp|link|symlink)(?:Sync)?$/;
const GIVES_PATH = /^(?:realpath|mkdtemp|readlink)(?:Sync)?$/;
/** Their callback is a listener. */
const LISTENS = new Set(['watch', 'watchFile', 'unwatchFile']);
const STDIN = new Set([0, '/dev/stdin']);

/**
 * @param {object} parts
 * @param {import('./places.mjs').Places} parts.places
 * @param {import('./activity.mjs').Activity} parts.activity
 * @param {import('./input.mjs').Input} parts.input
 * @param {(stream: 'stdout' | 'stderr', bytes: Uint8Array) => void} parts.print
 */
export function adaptFiles({ places, activity, input, print }) {
  const adapter = new Adapter(places, activity);
  for (const name of functionNames(fs)) fs[name] = adapter.adapt(name, fs[name]);
  for (const name of functionNames(fs.promises)) fs.promises[name] = adapter.adapt(name, fs.promises[name]);
  for (const name of ['createReadStream', 'createWriteStream']) fs[name] = trackStream(fs[name], activity);
  fs.existsSync = existsSync(fs.existsSync);
  readInputInstead(input);
  printInstead(print);
  keepOpen();
}

/** Not classes. */
function functionNames(holder) {
  return Object.keys(holder).filter((name) => typeof holder[name] === 'function' && /^[a-z]/.test(name));
}

class Adapter {
  #places;
  #activity;

  constructor(places, activity) {
    this.#places = places;
    this.#activity = activity;
  }

  adapt(name, operation) {
    const adapter = this;
    function adapted(...args) {
      const given = adapter.#translate(name, args);
      const path = args[0];
      try {
        const result = operation.apply(this, adapter.#withCallback(name, given, path));
        return result instanceof Promise ? adapter.#settle(name, result, path) : adapter.#outgoing(name, result);
      } catch (error) {
        throw adapter.#nodeError(name, error, path);
      }
    }
    // `realpath.native`, and what `util.promisify` looks for.
    const {
      length: _length,
      name: _name,
      prototype: _prototype,
      ...properties
    } = Object.getOwnPropertyDescriptors(operation);
    return Object.defineProperties(adapted, properties);
  }

  #translate(name, args) {
    const paths = TWO_PATHS.test(name) ? 2 : 1;
    return args.map((argument, index) => (index < paths ? this.#places.toHost(argument) : argument));
  }

  #withCallback(name, args, path) {
    const callback = args.at(-1);
    if (typeof callback !== 'function' || LISTENS.has(name)) return args;
    const end = this.#activity.begin();
    const called = (error, ...results) => {
      end();
      callback(
        error instanceof Error ? this.#nodeError(name, error, path) : error,
        ...results.map((one) => this.#outgoing(name, one)),
      );
    };
    return [...args.slice(0, -1), called];
  }

  #settle(name, promise, path) {
    return this.#activity.during(promise).then(
      (result) => this.#outgoing(name, result),
      (error) => {
        throw this.#nodeError(name, error, path);
      },
    );
  }

  #outgoing(name, result) {
    return GIVES_PATH.test(name) && typeof result === 'string' ? this.#places.toInside(result) : result;
  }

  /** What Deno refuses, Node would call a missing permission. */
  #nodeError(name, error, path) {
    if (error?.name === 'NotCapable') {
      const syscall = name.replace(/Sync$/, '');
      const refused = new Error(`EACCES: permission denied, ${syscall} '${path}'`);
      return Object.assign(refused, { errno: -13, code: 'EACCES', syscall, path: String(path) });
    }
    for (const field of ['message', 'path', 'dest', 'stack']) {
      if (typeof error?.[field] === 'string') error[field] = this.#places.toInside(error[field]);
    }
    return error;
  }
}

function existsSync(exists) {
  return (path) => {
    try {
      return exists(path);
    } catch {
      return false; // not allowed to know
    }
  };
}

function trackStream(create, activity) {
  return (...args) => {
    const stream = create(...args);
    stream.once('close', activity.begin());
    return stream;
  };
}

/** Descriptor 0 of the process is not the program's. */
function readInputInstead(input) {
  const instead = (holder, name, read) => {
    const original = holder[name];
    holder[name] = (source, ...rest) => (STDIN.has(source) ? read(...rest) : original(source, ...rest));
  };
  instead(fs, 'readFileSync', (options) => input.readAll(encodingOf(options)));
  instead(fs, 'readSync', (buffer, offset = 0, length = buffer.byteLength - offset) =>
    input.readInto(buffer, offset, length),
  );
  instead(fs, 'createReadStream', (options) => Readable.from([input.readAll(encodingOf(options))]));
  instead(fs, 'readFile', (...rest) => {
    const callback = rest.pop();
    queueMicrotask(() => callback(null, input.readAll(encodingOf(rest[0]))));
  });
  instead(fs.promises, 'readFile', async (options) => input.readAll(encodingOf(options)));
}

function encodingOf(options) {
  return typeof options === 'string' ? options : options?.encoding;
}

/** The interpreter needs descriptors 0, 1 and 2 itself. */
function keepOpen() {
  const { closeSync, close } = fs;
  const isOurs = (fd) => fd >= 0 && fd <= 2;
  fs.closeSync = (fd) => (isOurs(fd) ? undefined : closeSync(fd));
  fs.close = (fd, callback = () => {}) => (isOurs(fd) ? queueMicrotask(() => callback(null)) : close(fd, callback));
}

/** So that `fs.writeSync(1, …)` stays in order with the console. */
function printInstead(print) {
  const { writeSync } = fs;
  const streams = { 1: 'stdout', 2: 'stderr', '/dev/stdout': 'stdout', '/dev/stderr': 'stderr' };
  fs.writeSync = (fd, data, ...rest) => {
    if (!Object.hasOwn(streams, fd)) return writeSync(fd, data, ...rest);
    const bytes = bytesToWrite(data, rest);
    print(streams[fd], bytes);
    return bytes.length;
  };
  for (const name of ['writeFileSync', 'appendFileSync']) {
    const original = fs[name];
    fs[name] = (file, data, ...rest) => {
      if (!Object.hasOwn(streams, file)) return original(file, data, ...rest);
      print(streams[file], Buffer.from(data));
    };
  }
}

/** The arguments of `fs.writeSync` after its first. */
function bytesToWrite(data, rest) {
  if (typeof data === 'string') return Buffer.from(data, typeof rest[1] === 'string' ? rest[1] : 'utf8');
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const { offset = 0, length = bytes.length - offset } =
    typeof rest[0] === 'object' && rest[0] !== null ? rest[0] : { offset: rest[0] ?? 0, length: rest[1] ?? undefined };
  return bytes.subarray(offset, offset + length);
}
