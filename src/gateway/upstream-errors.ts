/** What is said of an upstream that gave no answer. What it answered is for `failures.ts`. */
import { AppError } from '#contracts/errors';
import { BOUNDS } from '#contracts/limits';
import type { BrokenLink, Connection } from './connection.ts';
import type { Tail } from './transports/tail.ts';

export function goneError(
  server: string,
  what: string,
  link: BrokenLink,
  { ending }: Connection,
  stderr: Tail,
): AppError {
  if (link.needsAuthorization) return authError(server, link);
  const words = ending === undefined ? '' : stderr.words();
  return new AppError(
    'UPSTREAM_UNREACHABLE',
    `Upstream "${server}" went away during ${what} (${ending ?? link.message})${words}`,
    {
      hint: 'The next call connects anew; the call may or may not have had its effect',
      cause: link,
    },
  );
}

export function timeoutError(server: string, what: string, timeMs: number, cause: unknown): AppError {
  return new AppError('UPSTREAM_TIMEOUT', `Upstream "${server}" did not finish ${what} in ${inSeconds(timeMs)}`, {
    hint: 'A longer `timeout` gives it more time',
    cause,
  });
}

export function closedError(server: string): AppError {
  return new AppError('UPSTREAM_UNREACHABLE', `Upstream "${server}" was stopped`, {
    hint: 'Its entry in the configuration changed, or Sallyport is ending',
  });
}

export function busyError(server: string): AppError {
  return new AppError('UPSTREAM_BUSY', `Upstream "${server}" has ${BOUNDS.upstreamQueueMax} calls waiting`, {
    hint: 'Make fewer calls at once',
  });
}

export function tooSoonError(server: string, waitMs: number, last: AppError | undefined): AppError {
  const reason = last ? `; last: ${last.message}` : '';
  return new AppError(
    'UPSTREAM_UNREACHABLE',
    `Upstream "${server}" keeps failing and is tried again in ${inSeconds(waitMs)}${reason}`,
    last?.hint === undefined ? {} : { hint: last.hint },
  );
}

/** The exact command is in the message: it is what a program shows, and a person reads. */
export function authError(server: string, cause: unknown): AppError {
  return new AppError('AUTH_REQUIRED', `Upstream "${server}" needs a login; a person can run: ${authCommand(server)}`, {
    cause,
  });
}

export function authCommand(server: string): string {
  return `sallyport auth ${/^[\w.@/-]+$/.test(server) ? server : JSON.stringify(server)}`;
}

export function inSeconds(timeMs: number): string {
  return `${Math.round(timeMs / 100) / 10} s`;
}
