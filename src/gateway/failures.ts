/** Every way in which an upstream can fail, told apart where it is first known and put into words for its reader. */
import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import type { ServerEntry } from '#clients/entry';
import { AppError, errnoOf, messageOf } from '#contracts/errors';
import { AnswerTooLong, LINK_ERRORS } from './transports/link-errors.ts';
import type { Tail } from './transports/tail.ts';

const REASON_CHARS_MAX = 600;
const STDERR_LINES = 4;
/** A server's own words about a failed call; a program gets them whole up to here. */
const MESSAGE_CHARS_MAX = 16_000;

/** A failure that is about the time that the attempt had. */
export class StartTimeout extends Error {
  override readonly name = 'StartTimeout';
}

export interface StartFacts {
  readonly entry: ServerEntry;
  /** How its process ended, where it did. */
  readonly ending: string | undefined;
  readonly stderr: Tail;
}

/** Why a server could not be connected to. */
export function startFailure(error: unknown, { entry, ending, stderr }: StartFacts): AppError {
  if (error instanceof AppError) return error;
  const { name } = entry;
  const words = entry.transport === 'stdio' ? said(stderr) : '';
  const fail = (problem: string, hint?: string) =>
    new AppError('UPSTREAM_UNREACHABLE', problem, { cause: error, ...(hint !== undefined && { hint }) });
  if (error instanceof StartTimeout) return fail(`Upstream "${name}" ${error.message}${words}`);
  const status = httpStatus(error);
  if (status === 401 || error instanceof UnauthorizedError) {
    return fail(
      `Upstream "${name}" wants to know who is calling (HTTP 401)`,
      `A person can run: sallyport auth ${name}`,
    );
  }
  if (status !== undefined)
    return fail(`Upstream "${name}" at ${originOf(entry)} refuses the connection (HTTP ${status})`);
  const errno = deepErrno(error);
  if (errno === 'ENOENT' && entry.transport === 'stdio') {
    return fail(
      `Cannot start upstream "${name}": there is no command "${entry.command}"${entry.cwd === undefined ? '' : `, or no folder "${entry.cwd}"`}`,
      'Install it, or mend the entry in the file that `sallyport servers` names',
    );
  }
  if (errno !== undefined && entry.transport === 'stdio') {
    return fail(`Cannot start upstream "${name}": "${entry.command}" gives ${errno}`);
  }
  if (ending !== undefined) return fail(`Upstream "${name}" ended at its start (${ending})${words}`);
  if (errno !== undefined) return fail(`Cannot reach upstream "${name}" at ${originOf(entry)}: ${errno}`);
  return fail(`Cannot connect to upstream "${name}": ${cut(messageOf(error), REASON_CHARS_MAX)}${words}`);
}

export interface CallFacts {
  readonly server: string;
  /** What was called, for the message: `tool "echo"`. */
  readonly what: string;
  /** How the server's process ended, where it did. */
  readonly ending: string | undefined;
  readonly stderr: Tail;
}

/** Why a call failed that had got as far as its upstream. */
export function callFailure(error: unknown, { server, what, ending, stderr }: CallFacts): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof RangeError) {
    return new AppError(
      'INVALID_INPUT',
      `The arguments for ${what} of upstream "${server}" are too large or too deep`,
      {
        cause: error,
      },
    );
  }
  if (error instanceof ProtocolError && error.code !== LINK_ERRORS.lost) {
    return new AppError('UPSTREAM_FAILED', cut(error.message, MESSAGE_CHARS_MAX), { cause: error });
  }
  if (error instanceof AnswerTooLong) return new AppError('UPSTREAM_FAILED', error.message, { cause: error });
  if (error instanceof SdkError && isAboutTheAnswer(error)) {
    return new AppError(
      'UPSTREAM_FAILED',
      `Upstream "${server}" gave an answer to ${what} that cannot be used: ${cut(error.message, REASON_CHARS_MAX)}`,
      { cause: error },
    );
  }
  const status = httpStatus(error);
  const reason = status === undefined ? (ending ?? deepErrno(error) ?? messageOf(error)) : `HTTP ${status}`;
  return new AppError(
    'UPSTREAM_UNREACHABLE',
    `Upstream "${server}" went away during ${what} (${cut(reason, REASON_CHARS_MAX)})${ending === undefined ? '' : said(stderr)}`,
    {
      hint:
        status === 401
          ? `A person can run: sallyport auth ${server}`
          : 'The next call connects anew; the call may or may not have had its effect',
      cause: error,
    },
  );
}

/** The link itself failed, so that it is no use to the next call. */
export function isLinkFailure(error: unknown): boolean {
  if (error instanceof ProtocolError) return error.code === LINK_ERRORS.lost;
  if (error instanceof SdkError) return !isAboutTheAnswer(error) && error.code !== SdkErrorCode.RequestTimeout;
  return !(error instanceof AppError || error instanceof RangeError || error instanceof AnswerTooLong);
}

/** The upstream has forgotten the session of this connection: nothing was done, and a new connection will do. */
export function isSessionLost(error: unknown): boolean {
  return error instanceof SdkHttpError && error.status === 404;
}

const ANSWER_CODES: ReadonlySet<SdkErrorCode> = new Set([
  SdkErrorCode.InvalidResult,
  SdkErrorCode.UnsupportedResultType,
  SdkErrorCode.InputRequiredRoundsExceeded,
  SdkErrorCode.CapabilityNotSupported,
  SdkErrorCode.ListPaginationExceeded,
  SdkErrorCode.MethodNotSupportedByProtocolVersion,
]);

function isAboutTheAnswer(error: SdkError): boolean {
  return ANSWER_CODES.has(error.code);
}

function httpStatus(error: unknown): number | undefined {
  if (error instanceof SdkHttpError) return error.status;
  return error instanceof SseError ? error.code : undefined;
}

/** `fetch` and the SDK wrap what the system said. */
function deepErrno(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    const code = errnoOf(at);
    if (code !== undefined && /^E[A-Z]+$/.test(code)) return code;
  }
  return undefined;
}

/** Without path and query, where people put tokens. */
function originOf({ url }: ServerEntry): string {
  return url !== undefined && URL.canParse(url) ? new URL(url).origin : 'its address';
}

function said(stderr: Tail): string {
  const words = stderr.lastLines(STDERR_LINES, REASON_CHARS_MAX);
  return words === '' ? '' : `: ${words}`;
}

function cut(text: string, charsMax: number): string {
  return text.length > charsMax ? `${text.slice(0, charsMax)}…` : text;
}
