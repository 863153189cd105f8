/**
 * The main thread of an embedded sandbox. No program ever runs in it: it reads what the host sends, keeps one thread
 * for each interpreter, and is there to pass an interrupt on when a program keeps its thread busy.
 *
 *   host ── records on stdin ──▶ here ── frames ──▶ thread ── output, and records in stderr ──▶ host
 *
 * A thread that computes cannot be ended from here (Deno's `terminate` waits for it): a program that does not give way
 * is ended by the host, with the whole process.
 */
import { FrameReader, fieldText } from '../javascript/frames.mjs';
import { excessivePermissions } from './permissions.mjs';
import { CHANNELS, createRecordWriter, readRecords, SUPERVISOR } from './records.mjs';
import { createOutputMemory, SharedOutput } from './shared-output.mjs';

/** A thread that ended leaves some 40 MB behind. After this many the process ends too, and gives everything back. */
const ENDED_THREADS_MAX = 3;
/** Their threads take no messages while a program runs. */
const WAITS_FOR_REPLIES = new Set(['python']);
/** How long what a program printed may stay in its buffer. */
const FLUSH_MS = 5;
const MEMORY_LOOK_MS = 50;
const MEMORY_STEP_BYTES = 1024 * 1024;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

class Interpreter {
  #id;
  #house;
  #reader = new FrameReader();
  #worker;
  #image;
  /** Shared with the thread; see `Start` in `serve.mjs`. */
  #flag;
  #replies;
  #output;
  /** The id of the run that is going on. */
  #run;

  constructor(id, image, house) {
    this.#id = id;
    this.#image = image;
    this.#house = house;
    this.#open();
  }

  take(payload) {
    for (const frame of this.#reader.push(payload)) this.#deliver(frame);
  }

  interrupt() {
    if (this.#run === undefined) return;
    Atomics.store(this.#flag, 2, 1);
    Atomics.store(this.#flag, 0, 2);
    Atomics.notify(this.#flag, 0);
    this.#wakeCaller();
    this.#worker.postMessage({ interrupt: true });
  }

  #open() {
    this.#flag = new Int32Array(new SharedArrayBuffer(12));
    const { port1, port2 } = new MessageChannel();
    this.#replies = port1;
    const output = createOutputMemory();
    this.#output = new SharedOutput(output);
    const worker = new Worker(new URL('./thread.mjs', import.meta.url), { type: 'module', name: this.#id });
    this.#worker = worker;
    worker.onmessage = ({ data }) => this.#hear(worker, data);
    worker.onerror = (event) => {
      event.preventDefault();
      if (this.#worker === worker) this.#gone(1, event.message);
    };
    const { mark, places, env, user } = this.#house.settings;
    const start = { mark, places, env, user, image: this.#image, flag: this.#flag, output, replies: port2 };
    worker.postMessage({ start }, [port2]);
  }

  #hear(worker, message) {
    if (this.#worker !== worker) return;
    if (message.printed) setTimeout(() => this.#output.flush(), FLUSH_MS);
    else if (message.idle !== undefined && message.idle === this.#run) this.#run = undefined;
    else if (message.gone !== undefined) this.#gone(message.gone);
  }

  #deliver(frame) {
    if (frame.verb === 'run') {
      this.#run = fieldText(frame, 'id');
      Atomics.store(this.#flag, 0, 0);
      Atomics.store(this.#flag, 2, 0);
    }
    if (frame.verb === 'reply' && WAITS_FOR_REPLIES.has(this.#id)) return this.#reply(frame);
    this.#post(frame);
  }

  #reply(frame) {
    this.#replies.postMessage({
      id: fieldText(frame, 'id'),
      ok: fieldText(frame, 'ok'),
      value: fieldText(frame, 'value'),
    });
    this.#wakeCaller();
  }

  #wakeCaller() {
    Atomics.add(this.#flag, 1, 1);
    Atomics.notify(this.#flag, 1);
  }

  #post({ verb, fields }) {
    this.#worker.postMessage({ frame: { verb, fields: fields.map(([name, value]) => [name, decoder.decode(value)]) } });
  }

  #gone(exitCode, said) {
    this.#worker.terminate();
    this.#run = undefined;
    if (said) this.#output.print('stderr', encoder.encode(`${said}\n`));
    this.#output.flush();
    this.#house.forget(this.#id, exitCode);
  }
}

class House {
  #interpreters = new Map();
  #endedThreads = 0;

  constructor(settings) {
    this.settings = settings;
    this.write = createRecordWriter(Uint8Array.fromHex(settings.mark));
    if (settings.memoryBytesMax !== null) this.#watchMemory(settings.memoryBytesMax);
    this.notice({ up: true });
  }

  notice(value) {
    this.write(SUPERVISOR, encoder.encode(JSON.stringify(value)));
  }

  forget(id, exitCode) {
    this.#interpreters.delete(id);
    this.#endedThreads += 1;
    if (this.#endedThreads > ENDED_THREADS_MAX) Deno.exit(exitCode);
    this.notice({ gone: id, exit: exitCode });
  }

  take({ channel, payload }) {
    if (channel === SUPERVISOR) return this.#obey(JSON.parse(decoder.decode(payload)));
    const id = Object.keys(CHANNELS).find((name) => CHANNELS[name] === channel);
    this.#interpreters.get(id)?.take(payload);
  }

  #obey({ start, interrupt, image }) {
    if (start) this.#interpreters.set(start, new Interpreter(start, image, this));
    if (interrupt) this.#interpreters.get(interrupt)?.interrupt();
  }

  /** Where the host cannot see into the process. The limit is judged here too: a notice may come too late. */
  #watchMemory(bytesMax) {
    let told = 0;
    setInterval(() => {
      const { rss } = Deno.memoryUsage();
      if (Math.abs(rss - told) >= MEMORY_STEP_BYTES) {
        told = rss;
        this.notice({ memory: rss });
      }
      if (rss > bytesMax) Deno.exit(137);
    }, MEMORY_LOOK_MS);
  }
}

async function main() {
  const excess = excessivePermissions();
  if (excess.length > 0) throw new Error(`The process has permissions that it must not have: ${excess.join(', ')}`);

  let house;
  for await (const record of readRecords()) {
    if (house) house.take(record);
    else house = new House(JSON.parse(decoder.decode(record.payload)));
  }
  // The host is gone: so is everything here.
  Deno.exit(0);
}

await main();
