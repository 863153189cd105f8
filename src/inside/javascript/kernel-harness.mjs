/**
 * Starts the bundled interpreter as the sandbox does, without a wall: FIFOs for its output, a socket for control.
 * For tests and measurements.
 */
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { encodeFrame, FrameReader, fieldBytes, fieldText, fieldTexts } from './frames.mjs';

const FLAGS = ['--disable-warning=ExperimentalWarning', '--expose-internals'];

const HERE = fileURLToPath(new URL('.', import.meta.url));

/** Bundles the interpreter into a fresh folder, as the build does; returns the file to start. */
export async function bundleKernel() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'kernel-bundle-'));
  const { bundles } = JSON.parse(fs.readFileSync(path.join(HERE, 'bundle.json'), 'utf8'));
  for (const { entry, outfile, ...options } of bundles) {
    await build({
      entryPoints: [path.join(HERE, entry)],
      outfile: path.join(folder, outfile),
      bundle: true,
      platform: 'node',
      target: 'node22',
      logLevel: 'warning',
      ...options,
    });
  }
  return path.join(folder, 'start.mjs');
}

/** A kernel in an endless loop does not notice that its test has ended. */
const alive = new Set();
process.on('exit', () => {
  for (const pid of alive) process.kill(-pid, 'SIGKILL');
});

export class KernelProcess {
  #reader = new FrameReader();
  #frames = [];
  #frameWaiters = [];
  #streams = {};
  #lastId = 0;
  #hasEnded = false;
  #previous = Promise.resolve();

  /** @param {string} kernelFile @param {{ args?: string[] }} [options] */
  constructor(kernelFile, { args = [] } = {}) {
    this.directory = fs.mkdtempSync(path.join(os.tmpdir(), 'kernel-workspace-'));
    const [stdout, stderr] = ['stdout', 'stderr'].map((name) => this.#openStream(name));
    this.child = spawn(process.execPath, [...FLAGS, kernelFile, ...args], {
      cwd: this.directory,
      stdio: ['ignore', stdout, stderr, 'pipe'],
      env: { PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin`, SALLYPORT_CONTROL_FD: '3', HOME: this.directory },
      // A group of its own, so that an interrupt reaches the program's children and nobody else.
      detached: true,
    });
    alive.add(this.child.pid);
    this.child.once('exit', () => alive.delete(this.child.pid));
    fs.closeSync(stdout);
    fs.closeSync(stderr);
    this.control = this.child.stdio[3];
    this.control.on('data', (chunk) => this.#onControl(chunk));
    this.control.on('error', () => {});
    this.ended = new Promise((resolve) => this.child.on('exit', (code, signal) => resolve({ code, signal })));
    void this.ended.then(() => {
      this.#hasEnded = true;
      for (const stream of Object.values(this.#streams)) stream.wake();
      for (const waiter of this.#frameWaiters.splice(0)) waiter.reject(new Error('The interpreter ended'));
    });
  }

  #openStream(name) {
    const file = path.join(this.directory, `.${name}`);
    execFileSync('mkfifo', [file]);
    const readEnd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    const writeEnd = fs.openSync(file, fs.constants.O_WRONLY);
    fs.unlinkSync(file);
    const socket = new net.Socket({ fd: readEnd, readable: true, writable: false });
    const stream = { socket, chunks: [], isClosed: false, wake: () => {} };
    socket.on('data', (chunk) => {
      stream.chunks.push(chunk);
      stream.wake();
    });
    socket.on('close', () => {
      stream.isClosed = true;
      stream.wake();
    });
    this.#streams[name] = stream;
    return writeEnd;
  }

  #onControl(chunk) {
    for (const frame of this.#reader.push(chunk)) {
      const index = this.#frameWaiters.findIndex(({ isWanted }) => isWanted(frame));
      if (index === -1) this.#frames.push(frame);
      else this.#frameWaiters.splice(index, 1)[0].resolve(frame);
    }
  }

  /** The next frame of a verb (and id), in whatever order they come. */
  frame(verb, id) {
    const isWanted = (frame) => frame.verb === verb && (id === undefined || fieldText(frame, 'id') === id);
    const index = this.#frames.findIndex(isWanted);
    if (index !== -1) return Promise.resolve(this.#frames.splice(index, 1)[0]);
    if (this.#hasEnded) return Promise.reject(new Error('The interpreter has ended'));
    return new Promise((resolve, reject) => this.#frameWaiters.push({ isWanted, resolve, reject }));
  }

  send(verb, fields) {
    this.control.write(encodeFrame(verb, fields));
  }

  interrupt() {
    process.kill(-this.child.pid, 'SIGINT');
  }

  pauseOutput() {
    for (const { socket } of Object.values(this.#streams)) socket.pause();
  }

  resumeOutput() {
    for (const { socket } of Object.values(this.#streams)) socket.resume();
  }

  /** Waits until a run that was started has printed `text`. @param {{ finished: Promise<object> }} started */
  async printed(text, { finished }) {
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    finished.then(over, over);
    while (!Buffer.concat(this.#streams.stdout.chunks).includes(text)) {
      if (isOver) throw new Error(`The run ended before it had printed ${text}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  /** Everything on a stream until a marker; what follows it stays for later. */
  async #until(name, marker) {
    const stream = this.#streams[name];
    const wanted = Buffer.from(marker);
    let searched = 0;
    let tail = Buffer.alloc(0);
    for (;;) {
      // Chunks are joined once, when the marker is in them; until then only their seams are looked at.
      for (; searched < stream.chunks.length; searched++) {
        tail = Buffer.concat([tail.subarray(-wanted.length), stream.chunks[searched]]);
        if (!tail.includes(wanted)) continue;
        const all = Buffer.concat(stream.chunks);
        const at = all.indexOf(wanted);
        stream.chunks = [all.subarray(at + wanted.length)];
        return all.subarray(0, at);
      }
      if (this.#hasEnded && stream.isClosed) throw new Error(`The interpreter ended without ${marker} on ${name}`);
      await new Promise((resolve) => {
        stream.wake = resolve;
      });
    }
  }

  /** Sends a run; `finished` resolves to all that became of it. */
  start(code, { language = 'javascript', args = [], stdin, name } = {}) {
    const id = String(++this.#lastId);
    const nonce = `~${id}~${'0123456789abcdef'.repeat(2)}~`;
    this.send('run', [
      ['id', id],
      ['nonce', nonce],
      ['language', language],
      ['name', name ?? `<run ${id}>`],
      ['code', code],
      ...args.map((arg) => ['arg', arg]),
      ...(stdin === undefined ? [] : [['stdin', stdin]]),
    ]);
    // Runs end in their order, and so do their outputs.
    const finished = this.#previous.then(() => this.#collect(id, nonce));
    this.#previous = finished.catch(() => {});
    return { id, finished };
  }

  async #collect(id, nonce) {
    const [stdout, stderr, done] = await Promise.all([
      this.#until('stdout', `${nonce}E`),
      this.#until('stderr', `${nonce}E`),
      this.frame('done', id),
    ]);
    const images = this.#frames.filter((frame) => frame.verb === 'image' && fieldText(frame, 'id') === id);
    this.#frames = this.#frames.filter((frame) => !images.includes(frame));
    const [printed, value] = split(stdout, Buffer.from(`${nonce}V`));
    return {
      stdout: printed.toString(),
      stderr: stderr.toString(),
      value: value?.toString(),
      exit: Number(fieldText(done, 'exit')),
      status: fieldText(done, 'status'),
      error: fieldText(done, 'error'),
      notes: fieldTexts(done, 'note'),
      images: images.map((frame) => ({ mime: fieldText(frame, 'mime'), data: Buffer.from(fieldBytes(frame, 'data')) })),
    };
  }

  run(code, options) {
    return this.start(code, options).finished;
  }

  async close() {
    this.control.destroy();
    const timer = setTimeout(() => process.kill(-this.child.pid, 'SIGKILL'), 2_000);
    await this.ended;
    clearTimeout(timer);
    for (const { socket } of Object.values(this.#streams)) socket.destroy();
    fs.rmSync(this.directory, { recursive: true, force: true });
  }
}

function split(bytes, marker) {
  const at = bytes.indexOf(marker);
  return at === -1 ? [bytes, undefined] : [bytes.subarray(0, at), bytes.subarray(at + marker.length)];
}
