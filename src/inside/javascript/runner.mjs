/**
 * The life of a run.
 *
 *     start ──▶ main part ──▶ event loop runs dry ────────────────────────▶ end
 *                   │                                                        ▲
 *                   │ uncaught error, process.exit(), SIGINT                 │
 *                   └──▶ breaking off: timers gone, output muted ──▶ dry ────┤
 *                                                 │ not within DRAIN_MS      │
 *                                                 └──▶ end, and the process ends too
 *
 * (1) At most one run is going on; further ones wait.
 * (2) Its end is written once: value, both nonces, images, `done`, in this order.
 * (3) No code of a run that was broken off is left over for the next one: an answer is never mixed with another's.
 */

import { engineMessage } from './engine-message.mjs';
import { encodeFrame } from './frames.mjs';
import { fitImages, recogniseImage } from './images.mjs';
import { asProgram, giveBack, guarded } from './intrinsics.mjs';
import { compile } from './language.mjs';
import { listen } from './listeners.mjs';
import { fs, process, util, vm } from './node.mjs';
import { engineExcerpt, forgetTornCallbacks } from './node-internals.mjs';
import { shrinkPng } from './png.mjs';
import { bindImports, declareGlobals, ProgramFailure, startProgram } from './realm.mjs';
import { stopExecution } from './stop-execution.mjs';
import { stripTypes } from './strip-types.mjs';
import { describeSourceError, describeThrown } from './traceback.mjs';
import { SourceError } from './transform.mjs';
import { describeValue, inspectValue } from './value.mjs';

const { clearTimeout, setImmediate, setTimeout } = globalThis;
const { nextTick } = process;
const reallyExit = process.reallyExit.bind(process);
const { inspect, types } = util;

/** Files and name lookups that are on their way cannot be called back. The host of an interrupted run waits less. */
const DRAIN_MS = 1_000;
const DRAIN_MS_INTERRUPTED = 100;

/** Node's own for a program whose top-level await never settles. */
const UNSETTLED_EXIT = 13;
const INTERRUPTED = { status: 'interrupted', exit: 130 };

/** Listeners of these end with the run that added them. */
const RUN_EVENTS = ['exit', 'beforeExit', 'SIGINT', 'SIGTERM', 'uncaughtException', 'unhandledRejection'];

/**
 * @typedef {object} RunRequest
 * @property {string} id
 * @property {string} nonce
 * @property {string} name
 * @property {string} language
 * @property {string} code
 * @property {string[]} args
 * @property {Uint8Array | undefined} stdin
 * @property {boolean} isRehearsal nothing of it is heard
 */

export class Runner {
  #parts;
  #run = undefined;
  #waiting = [];
  #kernelListeners;

  /** @param {object} parts control, stdio, outputs, modules, leftovers, interrupts, repairs, calls, sources, isForeign */
  constructor(parts) {
    this.#parts = parts;
    process.setUncaughtExceptionCaptureCallback(guarded((thrown) => this.#onUncaught(thrown)));
    listen('beforeExit', this.#onLoopEmpty);
    this.#kernelListeners = Object.fromEntries(RUN_EVENTS.map((event) => [event, process.listeners(event)]));
  }

  get isIdle() {
    return this.#run === undefined;
  }

  /** @param {RunRequest} request */
  submit(request) {
    this.#waiting.push(request);
    if (this.#run === undefined && this.#waiting.length === 1) this.#startNext();
  }

  #startNext = guarded(() => {
    const request = this.#waiting.shift();
    if (request) this.#start(request);
  });

  #start(request) {
    const run = { ...request, isMainDone: false, isEnding: false, value: undefined, images: [], declared: new Set() };
    this.#run = run;
    const { stdio, modules, leftovers, control, sources, interrupts } = this.#parts;
    sources.add(run.name, run.code, undefined);
    this.#parts.formatStacks();
    if (run.isRehearsal) this.#mute();
    try {
      stdio.prepare(run.stdin);
      modules.prepare(workingDirectory(), run.args);
      const compiled = compile(run.code, run.language, stripTypes, engineMessage);
      sources.add(run.name, run.code, compiled);
      declareGlobals(compiled.program.names);
      run.declared = new Set([...compiled.program.names, ...compiled.program.functions]);
      run.isAsync = compiled.program.isAsync;
      leftovers.begin();
      interrupts.begin(() => this.#onInterrupt(run));
      control.release('idle');
      void this.#runMainPart(run, compiled);
    } catch (error) {
      const { text, summary } = this.#describe(run, error);
      stdio.write(2, text);
      this.#end(run, { status: 'error', exit: 1, error: summary });
    }
  }

  #isLive(run) {
    return this.#run === run && run.ending === undefined;
  }

  /** Never rejects. What follows an `await` is called by the engine, and so guards itself. */
  async #runMainPart(run, { program, isTypeScript }) {
    try {
      if (program.imports.length > 0) {
        await bindImports(program.imports, { isTypeScript, load: this.#parts.modules.load });
      }
      const pending = this.#startMain(run, program);
      if (pending) this.#finishMain(run, program, await pending);
    } catch (error) {
      this.#failMain(run, error);
    }
  }

  /** @returns {Promise<Settled> | undefined} where the program's value is a promise, what becomes of it */
  #startMain = guarded((run, program) => {
    if (!this.#isLive(run)) return undefined;
    const pending = this.#enterProgram(run, () => {
      const value = startProgram(program, run.name, evaluate);
      if (types.isPromise(value)) {
        // A forgotten `await` is made good: what counts is what the promise holds.
        run.promise = value;
        return settled(value);
      }
      if (program.hasValue) show(run, value);
    });
    if (this.#isLive(run) && pending === undefined) this.#endMain(run);
    return pending;
  });

  #finishMain = guarded((run, program, { value, failure }) => {
    if (!this.#isLive(run)) return;
    if (failure) throw failure;
    if (program.hasValue || program.isAsync) this.#enterProgram(run, () => show(run, value));
    if (this.#isLive(run)) this.#endMain(run);
  });

  #failMain = guarded((run, error) => this.#fail(run, error));

  #endMain(run) {
    run.isMainDone = true;
    this.#parts.leftovers.releaseServers();
  }

  /** The program's turn, so that SIGINT ends it. Rethrows what it throws; after an interrupt the run is over. */
  #enterProgram(run, work) {
    const outcome = asProgram(() => this.#parts.interrupts.run(work));
    if (outcome.kind === 'threw') throw new ProgramFailure(outcome.thrown);
    if (outcome.kind === 'interrupted') this.#breakOff(run, INTERRUPTED);
    return outcome.value;
  }

  /** `display(value)`: a picture goes with the answer, anything else is printed. */
  display = (...values) => {
    for (const value of values) {
      const image = recogniseImage(value);
      if (image && this.#run) this.#run.images.push(image);
      else process.stdout.write(`${typeof value === 'string' ? value : inspectValue(value)}\n`);
    }
  };

  /** `process.exit(code)`: no code of the program runs any more, in whatever callback it was called. */
  exit = (code) => {
    if (code !== undefined) process.exitCode = code; // throws for what is no exit code
    const run = this.#run;
    if (run?.isEnding) throw END_OF_LISTENER;
    if (run) this.#breakOff(run, { status: 'exit', exit: process.exitCode ?? 0 });
    giveBack();
    stopExecution();
  };

  #onInterrupt = guarded((run) => this.#breakOff(run, INTERRUPTED));

  #onUncaught(thrown) {
    if (thrown === END_OF_LISTENER || this.#run?.ending) return;
    let failure = thrown;
    if (process.listenerCount('uncaughtException') > 0) {
      try {
        asProgram(() => process.emit('uncaughtException', thrown, 'uncaughtException'));
        return;
      } catch (error) {
        failure = error;
      }
    }
    if (this.#run) this.#fail(this.#run, new ProgramFailure(failure));
    else this.#parts.stdio.write(2, describeThrown(failure, this.#tracebackTools()).text);
  }

  #onLoopEmpty = guarded(() => {
    const run = this.#run;
    if (run === undefined) return;
    if (run.ending || process.listenerCount('beforeExit') === 1) {
      this.#finish(run);
      return;
    }
    // The program's own listeners come after this one, and may start something new.
    nextTick(
      guarded(() => {
        if (this.#isLive(run) && process.getActiveResourcesInfo().length === 0) this.#finish(run);
      }),
    );
  });

  #finish(run) {
    if (run.ending) {
      this.#end(run, run.ending);
    } else if (this.#parts.interrupts.isPending()) {
      this.#end(run, INTERRUPTED);
    } else if (run.isMainDone) {
      const exit = process.exitCode ?? 0;
      this.#end(run, { status: exit === 0 ? 'ok' : 'exit', exit });
    } else if (run.promise && !run.isAsync) {
      run.value = inspectValue(run.promise);
      this.#end(run, { status: 'ok', exit: process.exitCode ?? 0 });
    } else if (this.#parts.interrupts.expect()) {
      this.#end(run, INTERRUPTED);
    } else {
      const message = 'a top-level await never settled, and nothing is left that could settle it';
      this.#parts.stdio.write(2, `Warning: ${message}\n`);
      this.#end(run, { status: 'error', exit: UNSETTLED_EXIT, error: message });
    }
  }

  #fail(run, error) {
    if (!this.#isLive(run)) return;
    if (this.#parts.interrupts.isPending()) {
      this.#breakOff(run, INTERRUPTED);
      return;
    }
    const { text, summary } = this.#describe(run, error);
    this.#parts.stdio.write(2, text);
    this.#breakOff(run, { status: 'error', exit: 1, error: summary });
  }

  /** The program is over before its time. What it still has on its way may come back, but is not heard any more. */
  #breakOff(run, ending) {
    if (!this.#isLive(run)) return;
    run.ending = ending;
    const { leftovers, interrupts, calls } = this.#parts;
    interrupts.end();
    calls.forget();
    if (ending.status === 'error') leftovers.abandon();
    else leftovers.abandonAll();
    this.#mute();
    const drainMs = ending.status === 'interrupted' ? DRAIN_MS_INTERRUPTED : DRAIN_MS;
    run.drainTimer = setTimeout(this.#giveUp, drainMs, run).unref();
  }

  #mute() {
    for (const output of this.#parts.outputs) output.mute();
  }

  /** The program cannot be got rid of, so its process goes with it. */
  #giveUp = guarded((run) => {
    if (this.#run !== run) return;
    this.#end(run, run.ending, ['the program could not be stopped: the interpreter starts anew']);
    reallyExit(0);
  });

  #describe(run, error) {
    const { sources } = this.#parts;
    if (error instanceof SourceError) return describeSourceError(run.name, error, sources);
    const { thrown, place } = error instanceof ProgramFailure ? error : new ProgramFailure(error);
    return describeThrown(thrown, { ...this.#tracebackTools(), place: place && { name: run.name, ...place } });
  }

  #tracebackTools() {
    const { sources, isForeign } = this.#parts;
    return { sources, isForeign, inspect, excerptOf: engineExcerpt };
  }

  #end(run, { status, exit, error }, endNotes = []) {
    run.isEnding = true;
    const { stdio, outputs, control, calls, interrupts } = this.#parts;
    forgetTornCallbacks();
    for (const output of outputs) output.unmute();
    const exitCode = status === 'interrupted' ? exit : runExitListeners(exit);
    process.exitCode = undefined;
    interrupts.end();
    calls.forget();
    clearTimeout(run.drainTimer);
    this.#removeListeners();
    const notes = [...this.#repair(run.declared), ...endNotes];
    const { fitting, notes: imageNotes } = fitImages(run.images, { shrinkPng, save: saveImage });

    const done = encodeFrame('done', [
      ['id', run.id],
      ['exit', String(exitCode)],
      ['status', status],
      ...(error === undefined ? [] : [['error', error]]),
      ...[...notes, ...imageNotes].map((note) => ['note', note]),
    ]);
    if (!run.isRehearsal) {
      stdio.write(1, run.value === undefined ? `${run.nonce}E` : `${run.nonce}V${run.value}${run.nonce}E`);
      stdio.write(2, `${run.nonce}E`);
      for (const { mime, bytes } of fitting) {
        control.send('image', [
          ['id', run.id],
          ['mime', mime],
          ['data', bytes],
        ]);
      }
      control.write(done);
    }
    this.#run = undefined;
    control.hold('idle');
    if (this.#waiting.length === 0) this.#parts.onIdle();
    // Not at once: where the event loop has run dry, only something new in it keeps the process.
    else setImmediate(this.#startNext);
  }

  #repair(declared) {
    const { outputs, repairs } = this.#parts;
    const notes = repairs.putBack(declared);
    const areWhole = outputs.map((output) => output.settle());
    if (areWhole.includes(false)) notes.push('process.stdout or process.stderr was broken; restored');
    return notes;
  }

  #removeListeners() {
    for (const event of RUN_EVENTS) {
      const kept = this.#kernelListeners[event];
      const found = process.rawListeners(event);
      if (found.length === kept.length && found.every((listener, index) => listener === kept[index])) continue;
      process.removeAllListeners(event);
      for (const listener of kept) process.on(event, listener);
    }
  }
}

/** Thrown by `process.exit()` inside an `exit` listener, where the run is ending already. */
const END_OF_LISTENER = Symbol('end of listener');

/**
 * @typedef {{ value?: unknown, failure?: ProgramFailure }} Settled
 * @returns {Promise<Settled>} never rejects
 */
async function settled(promise) {
  try {
    return { value: await promise };
  } catch (thrown) {
    return { failure: new ProgramFailure(thrown) };
  }
}

function runExitListeners(exit) {
  if (process.listenerCount('exit') === 0) return exit;
  process.exitCode = exit;
  try {
    asProgram(() => process.emit('exit', exit));
  } catch (thrown) {
    if (thrown !== END_OF_LISTENER) {
      process.stderr.write(`${inspectValue(thrown)}\n`);
      return 1;
    }
  }
  return process.exitCode ?? exit;
}

/** Keeps the program's value for its answer. */
function show(run, value) {
  const image = typeof value === 'string' ? undefined : recogniseImage(value);
  if (image) run.images.push(image);
  else run.value = describeValue(value);
}

function evaluate(code, name) {
  const script = new vm.Script(code, {
    filename: name,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  return script.runInThisContext({ displayErrors: false });
}

function workingDirectory() {
  try {
    return process.cwd();
  } catch {
    return '/'; // deleted by the program
  }
}

function saveImage(extension, bytes) {
  for (let number = 1; ; number++) {
    const name = `image-${number}.${extension}`;
    try {
      fs.writeFileSync(name, bytes, { flag: 'wx' });
      return name;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
  }
}
