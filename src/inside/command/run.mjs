/** One run: the runtime, the entry file, compile steps unless their result is kept, the program. */
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { copySources, performSteps, wordNames } from './build.mjs';
import { contentKey, dropResult, findResult, newResult, SCRATCH, trimResults } from './cache.mjs';
import { placeEntry } from './entry.mjs';
import { withoutNoise } from './noise.mjs';
import { closeOutputs, openOutputs, writeAll } from './output.mjs';
import { findRuntime } from './tools.mjs';
import { fillWords } from './words.mjs';

const INTERRUPTED = [
  ['exit', String(128 + constants.signals.SIGINT)],
  ['status', 'interrupted'],
];

/**
 * @param {import('./children.mjs').Children} children
 * @param {(name: 'compile' | 'run') => void} enterPhase
 * @returns {Promise<Array<[string, string]>>} the fields of `done`
 */
export async function runProgram(children, { plan, code, args, stdin }, enterPhase) {
  const runtime = findRuntime(plan.runtimes);
  if (runtime === undefined) return refused('RUNTIME_MISSING', 'no runtime of this language was found');
  const entry = placeEntry(plan.entry, code);
  if (entry.problem) return refused('INVALID_INPUT', entry.problem);
  try {
    return await compileAndRun(children, { plan, code, args, stdin, runtime, entry: entry.name }, enterPhase);
  } finally {
    entry.remove();
  }
}

async function compileAndRun(children, { plan, code, args, stdin, runtime, entry }, enterPhase) {
  const env = environment(plan, runtime);
  const sources = plan.sources.filter((path) => path !== entry);
  const parts = { entry, tool: runtime.tool, args, sources, names: plan.names };
  let out = SCRATCH;
  if (runtime.compile) {
    const key = contentKey([runtime.tool, runtime.compile, sources], entry, code, plan.endings);
    const kept = key && findResult(key);
    out = kept ?? newResult(key);
    if (kept === undefined) {
      enterPhase('compile');
      const failure = await compile(children, { plan, runtime, env, parts: { ...parts, out } });
      if (failure) {
        dropResult(out);
        return failure;
      }
      trimResults();
    }
  }
  enterPhase('run');
  return start(children, fillWords(runtime.run, wordNames({ ...parts, out })), { env, stdin });
}

/** The fields of `done` when it failed. */
async function compile(children, { plan, runtime, env, parts }) {
  if (runtime.copies) copySources(parts.entry, parts.sources, parts.out);
  const cwd = runtime.copies ? parts.out : undefined;
  const { output, end } = await performSteps(children, runtime.compile, wordNames(parts), { env, cwd });
  const said = withoutNoise(output, plan.noise);
  if (said !== '') writeAll(2, said.endsWith('\n') ? said : `${said}\n`);
  if (children.isStopped) return INTERRUPTED;
  if (end.exitCode === 0) return undefined;
  return [
    ['exit', String(end.exitCode ?? 1)],
    ['status', 'error'],
    ['code', 'COMPILE_FAILED'],
    ['diagnostics', end.error ?? (said || `the compiler ended with ${end.signal ?? `exit code ${end.exitCode}`}`)],
  ];
}

async function start(children, command, { env, stdin }) {
  const input = openInput(stdin);
  const outputs = openOutputs();
  const end = await children.run(command, { stdio: [input, ...outputs], env });
  closeSync(input);
  closeOutputs(outputs);
  if (children.isStopped) return INTERRUPTED;
  if (end.error !== undefined) return refused('SANDBOX_FAILED', `the program could not be started: ${end.error}`);
  if (end.signal === null) {
    return [
      ['exit', String(end.exitCode)],
      ['status', end.exitCode === 0 ? 'ok' : 'error'],
    ];
  }
  return [
    ['exit', String(128 + constants.signals[end.signal])],
    ['status', 'error'],
    ['signal', end.signal],
  ];
}

/** A file, so that a program that does not read it holds up nobody. */
function openInput(stdin) {
  if (stdin === undefined) return openSync('/dev/null', 'r');
  mkdirSync(SCRATCH, { recursive: true });
  const file = join(SCRATCH, 'stdin');
  writeFileSync(file, stdin);
  return openSync(file, 'r');
}

function environment(plan, runtime) {
  return { ...process.env, ...plan.env, ...runtime.env };
}

function refused(code, message) {
  return [
    ['exit', '1'],
    ['status', 'error'],
    ['code', code],
    ['error', message],
  ];
}
