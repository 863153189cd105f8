/** A kernel of commands without a wall around it, for tests: frames in, what it wrote and answered out. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encodeFrame, FrameReader, fieldText } from '../javascript/frames.mjs';

const KERNEL = fileURLToPath(new URL('kernel.mjs', import.meta.url));
const NONCE = '\u0002nonce';

export class KernelUnderTest {
  #child;
  #frames = [];
  #waiting = [];
  #ids = 0;
  #output = { stdout: '', stderr: '' };
  #root = mkdtempSync(join(tmpdir(), 'sallyport-command-'));
  workspace = mkdtempSync(join(this.#root, 'workspace-'));

  constructor() {
    this.#child = spawn(process.execPath, [KERNEL], {
      cwd: this.workspace,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      env: { ...process.env, SALLYPORT_CONTROL_FD: '3', TMPDIR: this.#root },
    });
    const reader = new FrameReader();
    this.#child.stdio[3].on('data', (chunk) => {
      this.#frames.push(...reader.push(chunk));
      this.#look();
    });
    for (const stream of ['stdout', 'stderr']) {
      this.#child[stream].on('data', (chunk) => {
        this.#output[stream] += chunk;
        this.#look();
      });
    }
  }

  /** Sends a program and resolves with its end: fields of `done`, the phases, and both streams without the nonce. */
  async run({ plan, code, args = [], stdin }) {
    this.#output = { stdout: '', stderr: '' };
    this.#frames = [];
    const id = `r${++this.#ids}`;
    const fields = [
      ['id', id],
      ['nonce', NONCE],
      ['language', 'x'],
      ['name', 'x'],
      ['code', code],
    ];
    for (const arg of args) fields.push(['arg', arg]);
    if (stdin !== undefined) fields.push(['stdin', stdin]);
    this.#child.stdio[3].write(encodeFrame('run', [...fields, ['plan', JSON.stringify(plan)]]));
    const done = await this.#when(
      () =>
        this.#output.stdout.endsWith(`${NONCE}E`) && this.#output.stderr.endsWith(`${NONCE}E`) && this.#find('done'),
    );
    const clean = (text) => text.slice(0, -`${NONCE}E`.length);
    return {
      stdout: clean(this.#output.stdout),
      stderr: clean(this.#output.stderr),
      exit: Number(fieldText(done, 'exit')),
      status: fieldText(done, 'status'),
      signal: fieldText(done, 'signal'),
      code: fieldText(done, 'code'),
      phases: this.#frames.filter(({ verb }) => verb === 'phase').map((frame) => fieldText(frame, 'name')),
    };
  }

  interrupt() {
    this.#child.kill('SIGINT');
  }

  /** Resolves when the program has printed this. */
  printed(text) {
    return this.#when(() => this.#output.stdout.includes(text));
  }

  async [Symbol.asyncDispose]() {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.stdio[3].end();
    await ended;
    rmSync(this.#root, { recursive: true, force: true });
  }

  #find(verb) {
    return this.#frames.find((frame) => frame.verb === verb);
  }

  #when(look) {
    return new Promise((resolve) => {
      this.#waiting.push({ look, resolve });
      this.#look();
    });
  }

  #look() {
    this.#waiting = this.#waiting.filter(({ look, resolve }) => {
      const found = look();
      if (found) resolve(found);
      return !found;
    });
  }
}

/** What the host would send for a language that `sh` runs. */
export function shellPlan(runtime = {}) {
  return {
    entry: { file: 'main.sh', isFixed: false },
    runtimes: [{ tools: ['sh'], version: { ask: [] }, run: ['{tool}', '{entry}', '{args}'], ...runtime }],
    sources: [],
    endings: ['.inc'],
    names: {},
    env: {},
    noise: [],
  };
}
