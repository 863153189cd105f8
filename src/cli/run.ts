/** `sallyport run`: one program on the command line, its output as it comes, its exit code as ours. */
import { constants, fstatSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { constants as os } from 'node:os';
import { basename } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { AppError, errnoOf } from '#contracts/errors';
import type { RunOutcome, RunRequest, SessionRef } from '#contracts/run';
import { checkCode } from '#engine/check-code';
import { countAnswer } from '#engine/count-savings';
import { runCode } from '#engine/run-code';
import { refusalMeta, renderNotes, renderStructured } from '#output/render';
import { parseRunInput } from '#protocol/input';
import type { ControlSocket } from '#sessions/control-socket';
import type { App, CommandContext } from './app-port.ts';
import { openControl } from './control.ts';
import { paint, writeAll } from './print.ts';

export interface RunFlags {
  readonly code: string | undefined;
  readonly file: string | undefined;
  readonly language: string | undefined;
  readonly session: string | undefined;
  readonly args: readonly string[];
  readonly json: boolean;
  readonly check: boolean;
}

const EXIT_TIMEOUT = 124;
const EXIT_REFUSED = 125;

export async function run(context: CommandContext, flags: RunFlags): Promise<number> {
  const settings = await context.settings();
  const app = await context.build(settings, { warm: false });
  try {
    const request = await readRequest(app, flags);
    return flags.check ? await check(app, request, flags) : await runOnce(app, request, flags);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    await tellRefusal(error, flags);
    return EXIT_REFUSED;
  } finally {
    await app.close();
  }
}

async function runOnce(app: App, request: RunRequest, flags: RunFlags): Promise<number> {
  const controller = new AbortController();
  const interrupt = () => controller.abort();
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  const control = await openForAnswers(app);
  try {
    const outcome = await runCode(app.engine, request, {
      signal: controller.signal,
      answerMs: undefined,
      ...(flags.json ? {} : { onOutput: (stream, bytes) => void process[stream].write(bytes) }),
    });
    await tellOutcome(outcome.toolCalls === 0 ? outcome : await withSavings(app, request, outcome), flags);
    return exitCodeOf(outcome);
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    await control?.close();
  }
}

/** Where rules want a person to be asked, another terminal can answer while the program waits. */
async function openForAnswers(app: App): Promise<ControlSocket | undefined> {
  if (!app.settings.policy.some((rule) => rule.do === 'ask')) return undefined;
  app.engine.desk.onAsked = ({ id, server, tool }) => {
    process.stderr.write(`${server}.${tool} waits for you: sallyport approvals approve ${id}\n`);
  };
  return await openControl(app);
}

async function withSavings(app: App, request: RunRequest, outcome: RunOutcome): Promise<RunOutcome> {
  const { stdout, stderr } = renderStructured(outcome);
  const call = { caller: request.caller, sent: () => request.code, returned: [stdout, stderr] };
  return { ...outcome, tokensSaved: await countAnswer(app.engine, outcome, call) };
}

async function check(app: App, request: RunRequest, flags: RunFlags): Promise<number> {
  const { language, ...verdict } = await checkCode(app.engine, request);
  if (flags.json) {
    await writeAll(process.stdout, `${JSON.stringify({ ...verdict, language })}\n`);
  } else if (!verdict.ok) {
    const place = [flags.file ?? language, verdict.line, verdict.column].filter((part) => part !== undefined).join(':');
    await writeAll(process.stderr, `${place}: ${verdict.message ?? 'does not parse'}\n`);
  }
  return verdict.ok ? 0 : 1;
}

async function readRequest(app: App, flags: RunFlags): Promise<RunRequest> {
  const own: SessionRef = { kind: 'own', key: 'default' };
  const code = await readCode(flags);
  if (code.trim() === '')
    throw new AppError('INVALID_INPUT', 'There is no code to run', {
      hint: 'Give it with -e CODE, as a FILE, or on standard input with -',
    });
  const input = {
    code,
    language: flags.language,
    session: flags.session,
    args: [...flags.args],
    stdin: await readStdin(flags),
  };
  return {
    ...parseRunInput(input, own, app.settings.limits),
    caller: 'sallyport run',
    fileName: flags.file && flags.file !== '-' ? basename(flags.file) : undefined,
  };
}

async function readCode({ code, file }: RunFlags): Promise<string> {
  if (code !== undefined) return code;
  if (file === undefined)
    throw new AppError('INVALID_INPUT', 'There is no code to run', {
      hint: 'Give it with -e CODE, as a FILE, or on standard input with -',
    });
  if (file === '-') return (await buffer(process.stdin)).toString('utf8');
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new AppError('INVALID_INPUT', `Cannot read "${file}": ${errnoOf(cause) ?? 'unknown error'}`, { cause });
  }
}

/** A file or a pipe on our standard input is the program's; a terminal or a socket is not waited for. */
async function readStdin({ file }: RunFlags): Promise<string | undefined> {
  if (file === '-') return undefined;
  const kind = fstatSync(0, { throwIfNoEntry: false } as never).mode & constants.S_IFMT;
  if (kind !== constants.S_IFREG && kind !== constants.S_IFIFO) return undefined;
  return (await buffer(process.stdin)).toString('utf8');
}

async function tellOutcome(outcome: RunOutcome, flags: RunFlags): Promise<void> {
  if (flags.json) return writeAll(process.stdout, `${JSON.stringify(renderStructured(outcome))}\n`);
  if (outcome.stdout.valueAt !== undefined) await writeAll(process.stdout, '\n');
  const notes = renderNotes(outcome);
  if (notes !== '') await writeAll(process.stderr, `${paint('dim', notes, process.stderr)}\n`);
}

async function tellRefusal(error: AppError, flags: RunFlags): Promise<void> {
  if (flags.json)
    await writeAll(process.stdout, `${JSON.stringify({ ...refusalMeta(error), stdout: '', stderr: '' })}\n`);
  else
    await writeAll(
      process.stderr,
      `${paint('red', 'error:', process.stderr)} ${error.message}\n${error.hint ? `hint: ${error.hint}\n` : ''}`,
    );
}

export function exitCodeOf({ stop, signal, exitCode }: Pick<RunOutcome, 'stop' | 'signal' | 'exitCode'>): number {
  if (stop === 'timeout') return EXIT_TIMEOUT;
  if (stop === 'cancelled') return 128 + os.signals.SIGINT;
  const number = signal === null ? undefined : os.signals[signal as NodeJS.Signals];
  return number === undefined ? (exitCode ?? 1) : 128 + number;
}
