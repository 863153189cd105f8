/** One process at a time does something with a file. A lock whose holder is gone, or that is too old, is taken over. */
import { mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { AppError, errnoOf } from '#contracts/errors';

/** Nothing that is done under a lock takes this long. */
const HELD_MS_MAX = 30_000;
const LOOK_EVERY_MS = 25;

export async function lockFile(file: string): Promise<AsyncDisposable> {
  const lock = `${file}.lock`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  for (const end = Date.now() + 2 * HELD_MS_MAX; Date.now() < end; await wait(LOOK_EVERY_MS)) {
    if (await tryLock(lock)) return { [Symbol.asyncDispose]: () => rm(lock, { force: true }) };
    if (await isAbandoned(lock)) await rm(lock, { force: true });
  }
  throw new AppError('INTERNAL', `"${lock}" is held by another process and does not come free`);
}

async function tryLock(lock: string): Promise<boolean> {
  try {
    await using handle = await open(lock, 'wx', 0o600);
    await handle.writeFile(String(process.pid));
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function isAbandoned(lock: string): Promise<boolean> {
  const [pid, info] = await Promise.all([
    readFile(lock, 'utf8').catch(() => ''),
    stat(lock).catch(() => undefined), // let go in between
  ]);
  if (!info) return false;
  const ageMs = Date.now() - info.mtimeMs;
  return ageMs > HELD_MS_MAX || (ageMs > 1_000 && !isRunning(Number(pid)));
}

function isRunning(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
}
