/** Every failure that is ours to explain has a code here; `docs/reference/errors.md` is tested against this table. */
export const ERROR_CODES = {
  INVALID_INPUT: 'The request has a field that is missing, unknown, of the wrong type or out of bounds',
  INVALID_CONFIG: 'A flag, environment variable or config file has a value that cannot be used',
  LANGUAGE_UNKNOWN: 'The named language does not exist, or the code is in none that could be recognised',
  RUNTIME_MISSING: 'The language is known, but this machine has no runtime for it',
  SANDBOX_UNAVAILABLE: 'No backend on this machine can build the wall that was asked for',
  SANDBOX_FAILED: 'The wall could not be built, or its inside did not start',
  SESSION_HELD: 'Another server process holds the session of this name',
  SESSION_UNKNOWN: 'There is no session of this name',
  SESSION_CLOSED: 'The session ended while the run was waiting or going on',
  BUSY: 'All sessions or all places in the queue are taken',
  NOTHING_TO_PICK_UP: 'The session has no run that is going on or unread',
  NOT_FOUND: 'The resource, file or run does not exist or is no longer kept',
  UPSTREAM_UNKNOWN: 'There is no upstream server of this name, or it is switched off',
  TOOL_UNKNOWN: 'The upstream server has no tool, resource or prompt of this name',
  UPSTREAM_UNREACHABLE: 'An upstream server did not start, could not be reached or went away',
  UPSTREAM_FAILED: 'An upstream server answered that the call failed',
  UPSTREAM_TIMEOUT: 'An upstream server did not answer a call in time',
  AUTH_REQUIRED: 'An upstream server wants a login, which only a person can give',
  CALLER_CANNOT: 'An upstream server asks a person or a model something that this client cannot ask them',
  UPSTREAM_BUSY: 'An upstream server has as many calls waiting as it may have',
  POLICY_DENIED: 'A rule, or the lack of one, keeps programs from calling this tool',
  BUDGET_SPENT: 'A run has made all the calls that it may make, or a server has had all that it takes in a minute',
  COMPILE_FAILED: 'The program did not compile; nothing of it ran',
  PACKAGES_FAILED: 'A package that the program declares could not be installed',
  PROGRAM_FAILED: 'The program ended with an uncaught error or a non-zero exit code',
  INTERNAL: 'Sallyport itself failed; the log has the details',
} as const satisfies Record<string, string>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** A failure of ours, written for the reader who will see it: what failed, and what to do next. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
  }
}

/** Node's errno, where an error carries one. */
export function errnoOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** One line about any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
