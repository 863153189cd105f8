/**
 * One live shell. A program runs statement by statement: just-bash hands out output only at the end of a call, and so
 * what was printed appears, in order, after every statement of the top level.
 */
import { Bash, getCommandNames, parse } from 'just-bash';
import { createFiles } from './files.mjs';
import { keepingState, putBackDescriptors } from './kept-state.mjs';

/** Wants to start a thread from a file that is not here. */
const LEFT_OUT = new Set(['sqlite3']);
/** What just-bash itself says of an interrupt. */
const ABORTED = 'bash: execution aborted\n';
/** The host watches time, memory and output; these bounds would only be in the way. */
const UNBOUNDED = 1e12;
const LIMITS = {
  maxCommandCount: UNBOUNDED,
  maxLoopIterations: UNBOUNDED,
  maxAwkIterations: UNBOUNDED,
  maxSedIterations: UNBOUNDED,
  maxJqIterations: UNBOUNDED,
  maxWorkUnits: UNBOUNDED,
  maxTraversalWork: UNBOUNDED,
  maxInputBytes: UNBOUNDED,
  maxExecutionTimeMs: 24 * 3600 * 1000,
  maxCallDepth: 200,
};

const encoder = new TextEncoder();

export class Shell {
  #bash;
  #print;
  /** The statement that the next call runs, instead of the text that it is given. */
  #queued;
  #controller = new AbortController();
  #isInterrupted;

  /**
   * @param {object} parts
   * @param {{ workspace: string, output: string, tmp: string }} parts.places host paths
   * @param {Record<string, string>} parts.env
   * @param {object[]} parts.commands
   * @param {(stream: 'stdout' | 'stderr', bytes: Uint8Array) => void} parts.print
   * @param {() => boolean} parts.isInterrupted asked at every command: messages are not delivered while a script computes
   */
  constructor({ places, env, commands: customCommands, print, isInterrupted }) {
    this.#print = print;
    this.#isInterrupted = isInterrupted;
    const commands = getCommandNames().filter((name) => !LEFT_OUT.has(name));
    this.#bash = new Bash({
      fs: createFiles(places, { commands, customCommands }),
      cwd: '/workspace',
      env,
      commands,
      customCommands,
      executionLimits: LIMITS,
      // The process's permissions are the wall; this would take away `setTimeout` and the like from ourselves.
      defenseInDepth: false,
      coverage: { hit: () => this.#checkInterrupt() },
      sleep: (ms) => this.#sleep(ms),
    });
    this.#bash.registerTransformPlugin({
      name: 'queued-statement',
      transform: ({ ast }) => ({ ast: this.#take() ?? ast }),
    });
  }

  /** @returns {{ line: number, column: number, message: string } | undefined} the first error in the syntax */
  findProblem(code) {
    try {
      parse(code);
      return undefined;
    } catch (error) {
      const [, line, column, message] = /^Parse error at (\d+):(\d+): (.*)$/s.exec(error.message) ?? [];
      return { line: Number(line ?? 1), column: Number(column ?? 1), message: message ?? error.message };
    }
  }

  /** @param {string | undefined} input @returns {Promise<import('../serve.mjs').Outcome>} */
  async run(code, args, input) {
    const problem = this.findProblem(code);
    if (problem) {
      this.#tell(`bash: line ${problem.line}: syntax error: ${problem.message}\n`);
      return { exit: 2, status: 'error', error: `syntax error: ${problem.message}` };
    }
    this.#controller = new AbortController();
    putBackDescriptors(this.#bash);
    await this.#setArguments(args);
    const script = parse(code);

    let exit = 0;
    let rest = latin1(encoder.encode(input ?? ''));
    for (const statement of script.statements) {
      const step = await this.#step({ ...script, statements: [statement] }, rest);
      if (this.#controller.signal.aborted) return { exit: 130, status: 'interrupted', error: 'Interrupted' };
      exit = step.exit;
      rest = step.rest;
      if (step.hasLeft) return { exit, status: 'exit' };
    }
    return { exit, status: exit === 0 ? 'ok' : 'error' };
  }

  interrupt() {
    this.#controller.abort();
  }

  /** `$1` and so on; `$?` stays what the last program left. */
  async #setArguments(args) {
    const { lastExitCode } = this.#bash.state;
    await this.#step(parse(`set -- ${args.map(quote).join(' ')}`), '');
    this.#setStatus(lastExitCode);
  }

  #setStatus(exit) {
    this.#bash.state.lastExitCode = exit;
    this.#bash.state.env.set('?', String(exit));
  }

  /** Runs one statement. `hasLeft`: it was `exit`, or an error under `set -e`. */
  async #step(script, input) {
    let hasLeft = true;
    // Asked for what comes after the statement only when the shell goes on.
    function* once() {
      yield* script.statements;
      hasLeft = false;
    }
    try {
      const { result, input: rest } = await keepingState(this.#bash, () => {
        this.#queued = { ...script, statements: once() };
        return this.#bash.exec(':', {
          rawScript: true,
          stdin: input,
          stdinKind: 'bytes',
          signal: this.#controller.signal,
        });
      });
      this.#print('stdout', encoder.encode(result.stdout));
      this.#tell(this.#withLine(this.#controller.signal.aborted ? result.stderr.replace(ABORTED, '') : result.stderr));
      return { exit: result.exitCode, hasLeft, rest };
    } catch (error) {
      // A file system's error that just-bash does not expect, as for a redirection into a folder that is read-only.
      this.#tell(this.#withLine(`bash: ${error.message}\n`));
      this.#setStatus(1);
      return { exit: 1, hasLeft: false, rest: input };
    }
  }

  /** As Bash itself says it; the line is that of the command that ran last. */
  #withLine(text) {
    return text.replace(/^bash: (?!line \d)/gm, `bash: line ${this.#bash.state.currentLine}: `);
  }

  #take() {
    const queued = this.#queued;
    this.#queued = undefined;
    return queued;
  }

  #checkInterrupt() {
    if (this.#isInterrupted()) this.#controller.abort();
  }

  #sleep(ms) {
    const { signal } = this.#controller;
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #tell(text) {
    this.#print('stderr', encoder.encode(text));
  }
}

function quote(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Bytes as just-bash carries them through pipes: one character each. */
function latin1(bytes) {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return text;
}
