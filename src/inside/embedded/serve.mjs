/**
 * What the threads of all interpreters have in common: frames in, the end of a run's output, frames out.
 *
 * @typedef {object} Start
 * @property {string} mark
 * @property {{ workspace: string, output: string, tmp: string, inside: string, pyodide: string, library: string[] }} places
 *   host paths; `library` are folders with our Python packages
 * @property {Record<string, string>} env what programs see
 * @property {{ uid: number, gid: number } | null} user whose process this is; null where there are no numbers for users
 * @property {string} [image] host path of Python's start-up image
 * @property {Int32Array} flag shared: 2 (SIGINT) while an interrupt is asked for, set back by Pyodide when it has taken it;
 *   a count that changes with every reply; 1 from the interrupt of a run until the next run
 * @property {SharedArrayBuffer[]} output
 * @property {MessagePort} replies replies, for a thread that waits without its event loop
 *
 * @typedef {{ id: string, language: string, name: string, code: string, args: string[], stdin: string | undefined,
 *   timeoutMs: number | undefined }} Run
 * @typedef {{ mime: string, data: Uint8Array }} Image
 * @typedef {{ exit: number, status: string, error?: string, notes?: string[], value?: string, images?: Image[] }} Outcome
 * @typedef {{ ok: boolean, line?: number, column?: number, message?: string }} Verdict
 *
 * @typedef {object} Interpreter
 * @property {string} version
 * @property {(run: Run, conclude: (outcome: Outcome) => void) => void} run `conclude` is called once, when it is over
 * @property {(language: string, code: string) => Verdict} check
 * @property {() => void} interrupt called when the thread itself is free, as while a program waits
 *
 * @typedef {object} Ways what an interpreter gets to reach the host
 * @property {(stream: 'stdout' | 'stderr', bytes: Uint8Array) => void} print
 * @property {(method: string, params: unknown, run?: string) => Promise<unknown>} call rejects with `{ code, message }`;
 *   in the name of the run that goes on, if no other is named
 * @property {(exitCode: number) => void} leave ends the interpreter; its state is gone
 * @property {(method: string, params: string) => string} ask JSON in; the id of the reply
 * @property {(id: string) => [isOk: boolean, value: string] | undefined} look the reply, if it is there
 * @property {(id: string) => [isOk: boolean, value: string]} waitFor blocks
 */
import { receiveMessageOnPort } from 'node:worker_threads';
import { encodeFrame } from '../javascript/frames.mjs';
import { CHANNELS, createRecordWriter } from './records.mjs';
import { SharedOutput } from './shared-output.mjs';

/** As the other interpreters leave when the way to the host is closed. */
const DESCRIPTORS_GONE_EXIT = 71;

const encoder = new TextEncoder();
// Taken before programs run: `postMessage` and the like are globals that they may replace.
const post = globalThis.postMessage.bind(globalThis);

/**
 * @param {keyof typeof CHANNELS} id
 * @param {(start: Start, ways: Ways) => Promise<Interpreter>} create
 * @param {<F extends Function>(work: F) => F} guard around all that is called here, where programs share the realm
 */
export function serve(id, create, guard = (work) => work) {
  let thread;
  const take = guard((data) => {
    if (data?.start) {
      tellUser(data.start.user);
      thread = new Thread(id, data.start);
      void thread.open(create);
    } else if (data?.frame) thread.take(data.frame);
    else if (data?.interrupt) thread.interrupt();
  });
  globalThis.addEventListener('message', (event) => take(event.data));
}

/** `fs.access` asks for it, and Deno has no permission to tell. */
function tellUser(user) {
  if (user === null) return;
  Deno.uid = () => user.uid;
  Deno.gid = () => user.gid;
}

class Thread {
  #start;
  #interpreter;
  #output;
  #send;
  #calls = new Map();
  #callCount = 0;
  /** Of a thread that waits without its event loop: replies that nobody has taken yet. */
  #replies = new Map();
  #isRunning = false;
  #runId = '';
  /** Answered when no run is going on. */
  #pings = [];

  constructor(id, start) {
    this.#start = start;
    this.#output = new SharedOutput(start.output, () => post({ printed: true }));
    const write = createRecordWriter(Uint8Array.fromHex(start.mark));
    this.#send = (verb, fields) => write(CHANNELS[id], encodeFrame(verb, fields));
  }

  /** Never rejects. */
  async open(create) {
    try {
      this.#interpreter = await create(this.#start, this.#ways());
      this.#send('ready', [['version', this.#interpreter.version]]);
    } catch (error) {
      this.#tell(`${error?.stack ?? error}\n`);
      post({ gone: 1 });
    }
  }

  #ways() {
    return {
      print: (stream, bytes) => this.#output.print(stream, bytes),
      call: (method, params, run) => this.#call(method, params, run),
      ask: (method, params, run) => this.#ask(method, params, run),
      look: (id) => this.#look(id),
      waitFor: (id) => this.#waitFor(id),
      leave: (exitCode) => post({ gone: exitCode }),
    };
  }

  #tell(text) {
    this.#output.print('stderr', encoder.encode(text));
  }

  take({ verb, fields }) {
    const field = (name) => fields.find(([known]) => known === name)?.[1];
    switch (verb) {
      case 'run':
        return this.#run(field, fields);
      case 'check':
        return this.#check(field);
      case 'ping':
        this.#pings.push(field('id') ?? '');
        return this.#answerPings();
      case 'reply':
        return this.#settle(field);
    }
  }

  interrupt() {
    this.#interpreter?.interrupt();
  }

  #run(field, fields) {
    this.#isRunning = true;
    this.#runId = field('id') ?? '';
    const run = {
      id: field('id') ?? '',
      language: field('language') ?? '',
      name: field('name') ?? '<run>',
      code: field('code') ?? '',
      args: fields.filter(([name]) => name === 'arg').map(([, value]) => value),
      stdin: field('stdin'),
      timeoutMs: field('timeout') === undefined ? undefined : Number(field('timeout')),
    };
    const nonce = field('nonce') ?? '';
    this.#interpreter.run(run, (outcome) => {
      try {
        this.#conclude(run.id, nonce, outcome);
      } catch {
        // The program closed or broke what leads to the host.
        post({ gone: DESCRIPTORS_GONE_EXIT });
      }
    });
  }

  #conclude(id, nonce, { exit, status, error, value, notes = [], images = [] }) {
    // Said first: from here on nothing of the program can keep the end from being told.
    post({ idle: id });
    this.#output.print('stdout', encoder.encode(value === undefined ? `${nonce}E` : `${nonce}V${value}${nonce}E`));
    this.#output.print('stderr', encoder.encode(`${nonce}E`));
    this.#output.flush();
    for (const { mime, data } of images) this.#sendImage(id, mime, data);
    this.#send('done', [
      ['id', id],
      ['exit', String(exit)],
      ['status', status],
      ...(error === undefined ? [] : [['error', error]]),
      ...notes.map((note) => ['note', note]),
    ]);
    this.#isRunning = false;
    this.#answerPings();
  }

  #sendImage(id, mime, data) {
    this.#send('image', [
      ['id', id],
      ['mime', mime],
      ['data', data],
    ]);
  }

  #answerPings() {
    if (this.#isRunning) return;
    for (const id of this.#pings.splice(0)) this.#send('pong', [['id', id]]);
  }

  #check(field) {
    const { ok, ...place } = this.#interpreter.check(field('language') ?? '', field('code') ?? '');
    this.#send('checked', [
      ['id', field('id') ?? ''],
      ['ok', ok ? '1' : '0'],
      ...Object.entries(place).map(([name, value]) => [name, String(value)]),
    ]);
  }

  #call(method, params, run) {
    const { promise, resolve, reject } = Promise.withResolvers();
    this.#calls.set(this.#ask(method, JSON.stringify(params ?? null), run), { resolve, reject });
    return promise;
  }

  #settle(field) {
    const call = this.#calls.get(field('id'));
    this.#calls.delete(field('id'));
    const isCommand = field('exit') !== undefined;
    const value = isCommand
      ? { exit: field('exit'), out: field('out'), err: field('err') }
      : JSON.parse(field('value') ?? 'null');
    if (field('ok') === '1') call?.resolve(value);
    else call?.reject(value);
  }

  /** Blocks. What comes for others meanwhile is kept for them. */
  #waitFor(id) {
    const { flag } = this.#start;
    for (;;) {
      const seen = Atomics.load(flag, 1);
      const reply = this.#look(id);
      if (reply !== undefined) return reply;
      // The interrupt itself is for the interpreter to raise.
      if (Atomics.load(flag, 0) !== 0) return [false, '{"code":"INTERRUPTED","message":"Interrupted"}'];
      Atomics.wait(flag, 1, seen);
    }
  }

  /** The reply, if it is there. */
  #look(id) {
    for (let next = receiveMessageOnPort(this.#start.replies); next; next = receiveMessageOnPort(this.#start.replies)) {
      const { id: answered, ok, value } = next.message;
      this.#replies.set(answered, [ok === '1', value]);
    }
    const reply = this.#replies.get(id);
    this.#replies.delete(id);
    return reply;
  }

  #ask(method, params, run = this.#runId) {
    const id = `c${++this.#callCount}`;
    this.#send('call', [
      ['id', id],
      ['run', run],
      ['method', method],
      ['params', params],
    ]);
    return id;
  }
}
