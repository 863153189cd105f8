/** Every way in which the SDK says that an upstream failed, told apart here and put into words for its reader. */
import {
  InsufficientScopeError,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
  UnauthorizedError,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/client';
import type { ServerEntry } from '#clients/entry';
import { AppError, errnoOf, messageOf } from '#contracts/errors';
import { BrokenLink, StartTimeout } from './connection.ts';
import { AnswerTooLong, LINK_ERRORS } from './transports/link-errors.ts';
import type { Tail } from './transports/tail.ts';
import { authCommand, authError } from './upstream-errors.ts';

const REASON_CHARS_MAX = 600;
/** A server's own words about a failed call; a program gets them whole up to here. */
const MESSAGE_CHARS_MAX = 16_000;

export interface StartFacts {
  readonly entry: ServerEntry;
  /** How its process ended, where it did. */
  readonly ending: string | undefined;
  readonly stderr: Tail;
}

/** Why a server could not be connected to. */
export function startFailure(error: unknown, { entry, ending, stderr }: StartFacts): AppError {
  if (error instanceof AppError) return error;
  const { name, command, cwd, transport } = entry;
  const isProcess = transport === 'stdio';
  const fail = (problem: string, hint?: string) =>
    new AppError('UPSTREAM_UNREACHABLE', problem, { cause: error, ...(hint !== undefined && { hint }) });
  const words = isProcess ? stderr.words() : '';
  const errno = deepErrno(error);
  const status = httpStatus(error);

  if (error instanceof StartTimeout) return fail(`Upstream "${name}" ${error.message}${words}`);
  if (error instanceof InsufficientScopeError) return scopeError(error, name);
  if (status === 401) return authError(name, error);
  if (status !== undefined) {
    return fail(`Upstream "${name}" at ${originOf(entry)} refuses the connection (HTTP ${status})`);
  }
  if (isProcess && errno === 'ENOENT') {
    return fail(
      `Cannot start upstream "${name}": there is no command "${command}"${cwd === undefined ? '' : `, or no folder "${cwd}"`}`,
      'Install it, or mend the entry in the file that `sallyport servers` names',
    );
  }
  if (isProcess && ending !== undefined) return fail(`Upstream "${name}" ended at its start (${ending})${words}`);
  if (isProcess && errno !== undefined) return fail(`Cannot start upstream "${name}": "${command}" gives ${errno}`);
  if (errno !== undefined) return fail(`Cannot reach upstream "${name}" at ${originOf(entry)}: ${errno}`);
  const where = isProcess ? '' : ` at ${originOf(entry)}`;
  return fail(`Cannot connect to upstream "${name}"${where}: ${cut(messageOf(error), REASON_CHARS_MAX)}${words}`);
}

/** Why a request failed; `what` names it: `tool "echo" of upstream "x"`. */
export function requestFailure(error: unknown, what: string, server: string): AppError | BrokenLink {
  if (error instanceof AppError) return error;
  if (error instanceof RangeError) {
    return new AppError('INVALID_INPUT', `The arguments for ${what} are too large or too deep`, { cause: error });
  }
  if (error instanceof InsufficientScopeError) return scopeError(error, server);
  if (error instanceof AnswerTooLong) return new AppError('UPSTREAM_FAILED', error.message, { cause: error });
  if (error instanceof ProtocolError && error.code === ProtocolErrorCode.MissingRequiredClientCapability) {
    const capabilities = Object.keys((error.data as MissingData | undefined)?.requiredCapabilities ?? {}).join(', ');
    return new AppError(
      'CALLER_CANNOT',
      `${what} needs ${capabilities || 'something'} that this client does not offer`,
      {
        hint: 'Use a client that can ask a person or a model for servers, or another tool',
        cause: error,
      },
    );
  }
  if (error instanceof UrlElicitationRequiredError) {
    const pages = error.elicitations.map(({ message }) => message).join('; ');
    return new AppError(
      'CALLER_CANNOT',
      `${what} needs a person to open a page first: ${cut(pages, REASON_CHARS_MAX)}`,
      {
        hint: 'Use a client that supports elicitation, and let the person open it',
        cause: error,
      },
    );
  }
  if (error instanceof ProtocolError && error.code !== LINK_ERRORS.lost) {
    return new AppError('UPSTREAM_FAILED', cut(error.message, MESSAGE_CHARS_MAX), { cause: error });
  }
  if (error instanceof SdkError && ANSWER_CODES.has(error.code)) {
    const reason = cut(error.message, REASON_CHARS_MAX);
    return new AppError('UPSTREAM_FAILED', `The answer to ${what} cannot be used: ${reason}`, { cause: error });
  }
  const status = httpStatus(error);
  const reason = status === undefined ? (deepErrno(error) ?? messageOf(error)) : `HTTP ${status}`;
  return new BrokenLink(cut(reason, REASON_CHARS_MAX), { httpStatus: status, cause: error });
}

function scopeError(error: InsufficientScopeError, server: string): AppError {
  const scope = error.requiredScope ?? '';
  return new AppError(
    'AUTH_REQUIRED',
    `The login at upstream "${server}" is not enough: it needs the scope "${scope}"`,
    {
      hint: `A person can run: ${authCommand(server)} --scope ${JSON.stringify(scope)}`,
      cause: error,
    },
  );
}

interface MissingData {
  readonly requiredCapabilities?: object;
}

/** The upstream did answer, with something that the protocol does not know or that asks for what we cannot give. */
const ANSWER_CODES: ReadonlySet<SdkErrorCode> = new Set([
  SdkErrorCode.InvalidResult,
  SdkErrorCode.UnsupportedResultType,
  SdkErrorCode.InputRequiredRoundsExceeded,
  SdkErrorCode.CapabilityNotSupported,
  SdkErrorCode.ListPaginationExceeded,
  SdkErrorCode.MethodNotSupportedByProtocolVersion,
]);

function httpStatus(error: unknown): number | undefined {
  if (error instanceof SdkHttpError) return error.status;
  if (error instanceof UnauthorizedError) return 401;
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

function cut(text: string, charsMax: number): string {
  return text.length > charsMax ? `${text.slice(0, charsMax)}…` : text;
}
