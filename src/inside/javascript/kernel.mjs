/**
 * The JavaScript and TypeScript interpreter: one Node process that keeps the realm of a session and runs programs in
 * it, as `../PROTOCOL.md` says. This file puts the parts together.
 *
 * Start: `node --disable-warning=ExperimentalWarning --expose-internals start.mjs`, with `SALLYPORT_CONTROL_FD`
 * naming an inherited, connected stream socket.
 */
import { Control } from './control.mjs';
import { engineMessage } from './engine-message.mjs';
import { fieldBytes, fieldText, fieldTexts } from './frames.mjs';
import { Calls, createHatch } from './hatch.mjs';
import { Interrupts } from './interrupts.mjs';
import { guarded } from './intrinsics.mjs';
import { compile } from './language.mjs';
import { Leftovers } from './leftovers.mjs';
import { Modules } from './modules.mjs';
import { asyncHooks, fs, module, path, process, url } from './node.mjs';
import { Output } from './output.mjs';
import { defineGlobal } from './realm.mjs';
import { Repairs } from './repairs.mjs';
import { RunOfCaller } from './run-of-caller.mjs';
import { Runner } from './runner.mjs';
import { Sources } from './sources.mjs';
import { Stdio } from './stdio.mjs';
import { stripTypes } from './strip-types.mjs';
import { FRAMES_TAKEN, stackFormatter } from './traceback.mjs';
import { SourceError } from './transform.mjs';

const HERE = new URL('.', import.meta.url).href;
/** An interpreter that was started for a run gets it before. */
const REHEARSAL_AFTER_MS = 20;
const REHEARSALS = ['console.log(1)', '({ a: [await 0] })'];
/** Longer files are not looked into for the line of an error. */
const SOURCE_BYTES_MAX = 2_000_000;

/** Node's own code and this folder. */
function isForeign(file) {
  return file.startsWith('node:') || file === '<sallyport>' || file.startsWith(HERE);
}

const controlFd = Number(process.env.SALLYPORT_CONTROL_FD);
delete process.env.SALLYPORT_CONTROL_FD;
// `fork()` hands these on, and they are for this process alone.
process.execArgv = [];

const repairs = new Repairs();
const stdio = new Stdio();
const outputs = [
  new Output(1, 'stdout', (stream) => repairs.watch(stream, 'write', 'process.stdout.write')),
  new Output(2, 'stderr', (stream) => repairs.watch(stream, 'write', 'process.stderr.write')),
];
const control = new Control(controlFd, onFrame);
control.hold('idle');

const runOfCaller = new RunOfCaller(asyncHooks.AsyncLocalStorage);
const calls = new Calls(
  guarded((id, method, params) =>
    control.send('call', [
      ['id', id],
      ['run', runOfCaller.get()],
      ['method', method],
      ['params', params],
    ]),
  ),
  (count) => (count > 0 ? control.hold(calls) : control.release(calls)),
);
const hatch = createHatch(
  (method, params) => calls.call(method, params),
  (text) => process.stdout.write(text),
);
const sources = new Sources((map) => new module.SourceMap(map), readSource);
Error.stackTraceLimit = FRAMES_TAKEN;
const enginesOwnFormat = Error.prepareStackTrace;
const formatStack = stackFormatter(sources, isForeign);

const runner = new Runner({
  control,
  stdio,
  outputs,
  modules: new Modules(hatch),
  leftovers: new Leftovers([control.handle]),
  interrupts: new Interrupts(),
  repairs,
  calls,
  sources,
  isForeign,
  formatStacks,
  onIdle: answerPings,
});

process.exit = runner.exit;
defineGlobal('mcp', hatch);
defineGlobal('display', runner.display);
for (const name of ['console', 'process', 'mcp', 'display']) repairs.watch(globalThis, name, name);
repairs.watch(process, 'exit', 'process.exit');
for (const name of Object.keys(console)) repairs.watch(console, name, `console.${name}`);
for (const name of ['stdout', 'stderr']) repairs.watch(process, name, `process.${name}`);

const pings = [];
let isRehearsing = false;
control.send('ready', [['version', process.version]]);
let rehearsal = setTimeout(rehearse, REHEARSAL_AFTER_MS).unref();

function onFrame(frame) {
  const id = fieldText(frame, 'id') ?? '';
  switch (frame.verb) {
    case 'run':
      cancelRehearsal();
      runOfCaller.begin(id);
      // For the command `mcp`, wherever a process of this run starts it.
      process.env.SALLYPORT_RUN = id;
      runner.submit({
        id,
        nonce: fieldText(frame, 'nonce') ?? '',
        name: fieldText(frame, 'name') ?? '<run>',
        language: fieldText(frame, 'language') ?? 'javascript',
        code: fieldText(frame, 'code') ?? '',
        args: fieldTexts(frame, 'arg'),
        stdin: fieldBytes(frame, 'stdin'),
        isRehearsal: isRehearsing,
      });
      break;
    case 'check':
      control.send('checked', [['id', id], ...check(fieldText(frame, 'code') ?? '', fieldText(frame, 'language'))]);
      break;
    case 'ping':
      pings.push(id);
      if (runner.isIdle) answerPings();
      break;
    case 'reply':
      calls.settle(id, fieldText(frame, 'ok') === '1', fieldText(frame, 'value') ?? 'null');
      break;
  }
}

/** Runs that nobody asked for or hears of: afterwards the engine has compiled what every run needs. */
function rehearse() {
  isRehearsing = true;
  for (const code of REHEARSALS) {
    control.rehearse('run', [
      ['id', ''],
      ['nonce', ''],
      ['language', 'javascript'],
      ['name', '<rehearsal>'],
      ['timeout', '1'],
      ['code', code],
    ]);
  }
  isRehearsing = false;
}

/** Where a program has run there is nothing to rehearse, and the realm is not ours alone any more. */
function cancelRehearsal() {
  if (rehearsal) clearTimeout(rehearsal);
  rehearsal = undefined;
}

/** Unless a program has a format of its own; those that did often leave none behind. */
function formatStacks() {
  const format = Error.prepareStackTrace;
  if (format === undefined || format === enginesOwnFormat) Error.prepareStackTrace = formatStack;
}

/** A file that a frame names, by its path or address. */
function readSource(name) {
  try {
    const file = name.startsWith('file:') ? url.fileURLToPath(name) : name;
    return path.isAbsolute(file) && fs.statSync(file).size < SOURCE_BYTES_MAX
      ? fs.readFileSync(file, 'utf8')
      : undefined;
  } catch {
    return undefined; // it may be gone, or never was a file
  }
}

function answerPings() {
  for (const id of pings.splice(0)) control.send('pong', [['id', id]]);
}

function check(code, language) {
  try {
    const { isTypeScript } = compile(code, language ?? 'javascript', stripTypes, engineMessage);
    return [
      ['ok', '1'],
      ['language', isTypeScript ? 'typescript' : 'javascript'],
    ];
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return [
      ['ok', '0'],
      ['line', String(error.line)],
      ['column', String(error.column)],
      ['message', `SyntaxError: ${error.message}`],
    ];
  }
}
