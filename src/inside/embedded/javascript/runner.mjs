/**
 * The life of a run.
 *
 *     start ──▶ main part ──▶ nothing left that could still happen ──▶ end
 *                   │  uncaught error, process.exit(), interrupt        ▲
 *                   └───────────────────────────────────────────────────┘
 *
 * (1) At most one run is going on.
 * (2) Callbacks of a run that has ended may still come. They find another run or none, and never end it.
 */
import process from 'node:process';
import util from 'node:util';
import vm from 'node:vm';
import { fitImages, recogniseImage } from '../../javascript/images.mjs';
import { guarded } from '../../javascript/intrinsics.mjs';
import { compile } from '../../javascript/language.mjs';
import { shrinkPng } from '../../javascript/png.mjs';
import { bindImports, declareGlobals, ProgramFailure } from '../../javascript/realm.mjs';
import { describeSourceError, describeThrown } from '../../javascript/traceback.mjs';
import { SourceError } from '../../javascript/transform.mjs';
import { describeValue, inspectValue } from '../../javascript/value.mjs';
import { stripTypes } from './strip-types.mjs';

const PLAIN = { displayErrors: false };
const MAIN = Symbol.for('sallyport.main');
/** The async function that a program has become is called from inside a script, where a timeout can end it. */
const CALL_MAIN = new vm.Script("globalThis[Symbol.for('sallyport.main')]()", { filename: '<sallyport>' });
const TIMEOUT_AFTER_MS = 20;
const TIMED_OUT = 'ERR_SCRIPT_EXECUTION_TIMEOUT';
const INTERRUPTED = { status: 'interrupted', exit: 130, error: 'Interrupted' };

/** Thrown by `process.exit()`: there is no way to leave a program that no `catch` of it could see. */
const EXIT = { toString: () => 'process.exit()' };

export class Runner {
  #parts;
  #run;

  /** @param {object} parts output, input, modules, activity, repairs, sources, isForeign, tidy, saveImage */
  constructor(parts) {
    this.#parts = parts;
    globalThis.addEventListener('error', (event) => this.#onUncaught(event, event.error));
    globalThis.addEventListener('unhandledrejection', (event) => this.#onUncaught(event, event.reason));
  }

  /** @param {import('../serve.mjs').Run} request @param {(outcome: import('../serve.mjs').Outcome) => void} conclude */
  run(request, conclude) {
    const run = { ...request, conclude, value: undefined, images: [], declared: new Set(), exitCode: undefined };
    this.#run = run;
    this.#start(run);
  }

  /** @returns {import('../serve.mjs').Verdict} */
  check(language, code) {
    try {
      const { isTypeScript } = compile(code, language, stripTypes);
      return { ok: true, language: isTypeScript ? 'typescript' : 'javascript' };
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      return { ok: false, line: error.line, column: error.column, message: `SyntaxError: ${error.message}` };
    }
  }

  interrupt() {
    if (this.#run) this.#end(this.#run, INTERRUPTED);
  }

  /** `display(value)`: a picture goes with the answer, anything else is printed. */
  display = (...values) => {
    for (const value of values) {
      const image = recogniseImage(value);
      if (image && this.#run) this.#run.images.push(image);
      else process.stdout.write(`${typeof value === 'string' ? value : inspectValue(value)}\n`);
    }
  };

  /** `process.exit(code)`: what the program still does is not heard, and the run ends in the next turn. */
  exit = (code = process.exitCode ?? 0) => {
    const run = this.#run;
    if (run && run.exitCode === undefined) {
      run.exitCode = Number(code) & 0xff;
      this.#parts.output.isMuted = true;
      queueMicrotask(() => this.#end(run, { status: 'exit', exit: run.exitCode }));
    }
    throw EXIT;
  };

  #start(run) {
    const { input, output, modules, activity, sources } = this.#parts;
    output.isMuted = false;
    input.reset(run.stdin);
    activity.forget();
    process.exitCode = undefined;
    sources.add(run.name, run.code, undefined);
    try {
      modules.prepare(run.args);
      const compiled = compile(run.code, run.language, stripTypes);
      sources.add(run.name, run.code, compiled);
      void this.#runMainPart(run, compiled);
    } catch (error) {
      this.#fail(run, error);
    }
  }

  /** Never rejects. */
  async #runMainPart(run, { program, isTypeScript }) {
    try {
      declareGlobals(program.names);
      run.declared = new Set([...program.names, ...program.functions]);
      await bindImports(program.imports, { isTypeScript, load: this.#parts.modules.load });
      if (this.#run !== run) return;
      const value = await resultOf(program, run);
      if (this.#run !== run) return;
      if (program.hasValue || program.isAsync) show(run, value);
      await this.#parts.activity.settles(() => this.#run !== run);
      this.#finish(run);
    } catch (error) {
      this.#fail(run, error);
    }
  }

  #finish(run) {
    const exit = process.exitCode ?? 0;
    this.#end(run, { status: exit === 0 ? 'ok' : 'exit', exit });
  }

  #onUncaught = guarded((event, thrown) => {
    event.preventDefault();
    if (thrown === EXIT) return;
    if (this.#run) this.#fail(this.#run, new ProgramFailure(thrown));
    else process.stderr.write(this.#parts.tidy(describeThrown(thrown, this.#tracebackTools()).text));
  });

  /** @type {(run: object, error: SourceError | ProgramFailure) => void} */
  #fail = guarded((run, error) => {
    if (this.#run !== run || error.thrown === EXIT) return;
    if (isTimeout(error.thrown)) return this.#end(run, INTERRUPTED);
    const { text, summary } = this.#describe(run, error);
    process.stderr.write(this.#parts.tidy(text));
    this.#end(run, { status: 'error', exit: 1, error: this.#parts.tidy(summary) });
  });

  #describe(run, error) {
    if (error instanceof SourceError) return describeSourceError(run.name, error, this.#parts.sources);
    if (!(error instanceof ProgramFailure)) throw error;
    const place = error.place && { name: run.name, ...error.place };
    return describeThrown(error.thrown, { ...this.#tracebackTools(), place });
  }

  #tracebackTools() {
    const { sources, isForeign } = this.#parts;
    return { sources, isForeign, inspect: util.inspect };
  }

  #end = guarded((run, ending) => {
    if (this.#run !== run) return;
    this.#run = undefined;
    if (ending.status !== 'ok') this.#parts.activity.abandon();
    const notes = this.#parts.repairs.putBack(run.declared);
    const { fitting, notes: imageNotes } = fitImages(run.images, { shrinkPng, save: this.#parts.saveImage });
    run.conclude({
      ...ending,
      value: ending.status === 'ok' ? run.value : undefined,
      notes: [...notes, ...imageNotes],
      images: fitting.map(({ mime, bytes }) => ({ mime, data: bytes })),
    });
  });
}

function isTimeout(thrown) {
  return util.types.isNativeError(thrown) && thrown.code === TIMED_OUT;
}

/** Keeps the program's value for its answer. */
const show = guarded((run, value) => {
  const image = typeof value === 'string' ? undefined : recogniseImage(value);
  if (image) run.images.push(image);
  else run.value = describeValue(value);
});

/** A forgotten `await` is made good: what counts is what the promise holds. */
async function resultOf(program, run) {
  try {
    if (program.hoisted) compileScript(program.hoisted, run.name).runInThisContext(PLAIN);
    const script = compileScript(program.body, run.name);
    if (!program.isAsync) return await script.runInThisContext(bounded(run));
    globalThis[MAIN] = script.runInThisContext(PLAIN);
    return await CALL_MAIN.runInThisContext(bounded(run));
  } catch (thrown) {
    throw new ProgramFailure(thrown);
  }
}

function compileScript(code, filename) {
  return new vm.Script(code, { filename, importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER });
}

/** Up to its first `await`, a program that never gives way is ended here, a moment after the host has asked for it. */
function bounded({ timeoutMs }) {
  return timeoutMs > 0 ? { ...PLAIN, timeout: Math.ceil(timeoutMs) + TIMEOUT_AFTER_MS } : PLAIN;
}
