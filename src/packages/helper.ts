/** The process that fetches packages: in a group of its own, bounded in time, ended as a whole when nobody waits for it. */
import { spawn } from 'node:child_process';

export interface HelperPlan {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface HelperEnd {
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  /** The end of what it said, both streams together. */
  readonly words: string;
}

const WORDS_MAX = 4_000;

/** Rejects when it cannot be started. */
export function runHelper({ file, args, cwd, env, timeoutMs, signal }: HelperPlan): Promise<HelperEnd> {
  const { promise, resolve, reject } = Promise.withResolvers<HelperEnd>();
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let words = '';
  let timedOut = false;
  const kill = () => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // it has ended
    }
  };
  const timer = setTimeout(() => {
    timedOut = true;
    kill();
  }, timeoutMs);
  signal.addEventListener('abort', kill, { once: true });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      words = (words + text).slice(-WORDS_MAX);
    });
  }
  const settle = (finish: () => void) => {
    clearTimeout(timer);
    signal.removeEventListener('abort', kill);
    finish();
  };
  child.once('error', (error) => settle(() => reject(error)));
  child.once('close', (exitCode) => settle(() => resolve({ exitCode, timedOut, words })));
  if (signal.aborted) kill();
  return promise;
}
