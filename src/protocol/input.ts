/** What a caller may send to `run_code`: parsed at the door, trusted inside. */
import { z } from 'zod';
import { AppError } from '#contracts/errors';
import { BOUNDS, type Limits } from '#contracts/limits';
import type { InputFile, RunRequest, SessionRef } from '#contracts/run';

const SESSION_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Unknown fields are refused: a misspelt `sesion` must not silently lose its state. */
const wireSchema = z.strictObject({
  code: z.string(),
  language: z.string().max(64).nullish(),
  session: z.string().nullish(),
  timeout: z.number().nullish(),
  args: z.array(z.string()).max(BOUNDS.argsMax).nullish(),
  stdin: z.string().nullish(),
  files: z.record(z.string(), z.string()).nullish(),
});

const FIELDS = Object.keys(wireSchema.shape);

/** `own` is the session that the door uses when none is named. */
export function parseRunInput(input: unknown, own: SessionRef, limits: Limits): Omit<RunRequest, 'caller'> {
  const result = wireSchema.safeParse(input ?? {});
  if (!result.success) throw wrongShape(result.error.issues[0]);
  const wire = result.data;
  assertBytes('code', wire.code, BOUNDS.codeBytesMax, 'Put data into "files" and read it from /workspace');
  assertBytes('stdin', wire.stdin ?? '', BOUNDS.stdinBytesMax, 'Put it into "files"');
  if (wire.code.includes('\0')) throw invalid('"code" must not contain NUL characters', 'Put binary data into "files"');
  const args = wire.args ?? [];
  assertBytes('args', args.join('\0'), BOUNDS.argsBytesMax, 'Put it into "files" or "stdin"');
  if (args.some((arg) => arg.includes('\0')))
    throw invalid('"args" must not contain NUL characters', 'Put binary data into "files"');
  return {
    code: wire.code,
    language: wire.language ?? undefined,
    fileName: undefined,
    session: parseSession(wire.session ?? undefined, own),
    timeoutMs: parseTimeout(wire.timeout ?? undefined, wire.code, limits),
    args,
    stdin: wire.stdin ?? undefined,
    files: parseFiles(wire.files ?? {}),
  };
}

function parseSession(name: string | undefined, own: SessionRef): SessionRef {
  // The answers call the own session by its key, so a caller may name it by that too.
  if (name === undefined || name === '' || (own.kind === 'own' && name === own.key)) return own;
  if (!SESSION_NAME.test(name)) {
    throw invalid(
      `"session" must be 1 to 64 letters, digits, ".", "_" or "-", beginning with a letter or digit, and not ${JSON.stringify(name.slice(0, 80))}`,
      'For example "analysis-1"',
    );
  }
  return { kind: 'named', name };
}

function parseTimeout(seconds: number | undefined, code: string, limits: Limits): number | undefined {
  if (seconds === undefined) return undefined;
  const most = limits.timeoutMsMax / 1000;
  const isInterrupt = seconds === 0 && code.trim() === '';
  if (!isInterrupt && !(seconds > 0 && seconds <= most)) {
    throw invalid(
      `"timeout" must be above 0 and at most ${most} seconds, and not ${seconds}`,
      `Send a number of seconds such as 60; 0 only goes with empty code, to interrupt`,
    );
  }
  return Math.round(seconds * 1000);
}

function parseFiles(files: Readonly<Record<string, string>>): InputFile[] {
  const entries = Object.entries(files);
  if (entries.length > BOUNDS.filesMax)
    throw invalid(
      `"files" has ${entries.length} entries; at most ${BOUNDS.filesMax} are allowed`,
      'Send an archive and unpack it',
    );
  const parsed = entries.map(([path, content]) => ({ path: parsePath(path), bytes: parseContent(path, content) }));
  const total = parsed.reduce((sum, file) => sum + file.bytes.length, 0);
  if (total > BOUNDS.filesBytesMax)
    throw invalid(
      `"files" has ${total} bytes; at most ${BOUNDS.filesBytesMax} are allowed`,
      'Send fewer or smaller files',
    );
  return parsed;
}

/** A path inside the workspace; `/workspace/x` is understood as `x`. */
function parsePath(path: string): string {
  const relative = path.replace(/^\/workspace\//, '').replace(/^(\.\/)+/, '');
  const steps = relative.split('/');
  const isPlain = steps.every((step) => step !== '' && step !== '.' && step !== '..' && Buffer.byteLength(step) <= 255);
  if (!isPlain || relative.includes('\0') || relative.length > 1024) {
    throw invalid(
      `"files" has the path ${JSON.stringify(path.slice(0, 120))}, which does not stay inside /workspace`,
      'Send a relative path such as "data/input.csv", without ".." and without a leading "/"',
    );
  }
  return relative;
}

const DATA_URL = /^data:[^,]*;base64,/;

function parseContent(path: string, content: string): Buffer {
  const prefix = DATA_URL.exec(content)?.[0];
  if (prefix === undefined) return Buffer.from(content, 'utf8');
  const base64 = content.slice(prefix.length);
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(base64))
    throw invalid(
      `"files" has a data: URL for ${JSON.stringify(path)} that is not base64`,
      'Send text as it is, or data:;base64, followed by base64',
    );
  return Buffer.from(base64, 'base64');
}

function assertBytes(field: string, value: string, most: number, hint: string): void {
  const bytes = Buffer.byteLength(value);
  if (bytes > most) throw invalid(`"${field}" has ${bytes} bytes; at most ${most} are allowed`, hint);
}

function wrongShape(issue: z.core.$ZodIssue | undefined): AppError {
  if (issue?.code === 'unrecognized_keys') {
    return invalid(
      `Unknown field ${issue.keys.map((key) => JSON.stringify(key.slice(0, 80))).join(', ')}`,
      `Use only: ${FIELDS.join(', ')}`,
    );
  }
  const field = issue?.path.join('.') || 'arguments';
  if (field === 'code')
    return invalid('"code" is missing or is not a string', 'Send the program as a string in "code"');
  return invalid(
    `"${field}" is wrong: ${issue?.message ?? 'unknown'}`,
    HINTS[issue?.path[0] as string] ?? `Use only: ${FIELDS.join(', ')}`,
  );
}

const HINTS: Readonly<Record<string, string>> = {
  language: 'Send a name such as "python", or leave it out',
  session: 'Send a name such as "analysis-1", or leave it out',
  timeout: 'Send a number of seconds such as 60',
  args: 'Send a list of strings such as ["--verbose", "data.csv"]',
  stdin: 'Send the text as a string',
  files: 'Send an object from path to text such as {"data.csv": "a,b\\n1,2\\n"}',
};

function invalid(message: string, hint: string): AppError {
  return new AppError('INVALID_INPUT', message, { hint });
}
