/**
 * One builder at a time. The lock is a file that names its holder, who touches it once a second while at work.
 *
 * (1) A lock is taken away by whoever waits when its holder is dead, or has not touched it for STALE_MS. The waiter
 *     counts that time on its own clock, which stands still while a laptop sleeps.
 * (2) Two processes that take it away at the same moment may both go on. That costs work and nothing else: every
 *     step builds in a folder of its own and renames it into place.
 */
import { randomUUID } from 'node:crypto';
import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

const TOUCH_MS = 1_000;
const STALE_MS = 15_000;
const POLL_MS = 50;

/** Runs `work` as the only holder of the lock; `wait` wraps the waiting when there is any. */
export async function withLock(path, wait, work) {
  const owner = { pid: process.pid, host: hostname(), token: randomUUID() };
  const isStale = watchForStale(path);
  const isTaken = async () => {
    if (await take(path, owner)) return true;
    if (!(await isStale())) return false;
    await rm(path, { force: true });
    return await take(path, owner);
  };
  if (!(await isTaken())) {
    await wait(async () => {
      while (!(await isTaken())) await sleep(POLL_MS);
    });
  }
  const touching = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {}); // taken away from us: rule (2)
  }, TOUCH_MS);
  try {
    return await work();
  } finally {
    clearInterval(touching);
    if ((await readOwner(path))?.token === owner.token) await rm(path, { force: true });
  }
}

async function take(path, owner) {
  try {
    await writeFile(path, JSON.stringify(owner), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function watchForStale(path) {
  let touched;
  let since;
  return async () => {
    const mtimeMs = (await stat(path).catch(() => undefined))?.mtimeMs; // gone: the next try takes it
    if (mtimeMs !== touched) {
      touched = mtimeMs;
      since = performance.now();
    }
    return performance.now() - since > STALE_MS || isDead(await readOwner(path));
  };
}

/** A process id says nothing about a holder in another container or on another machine, and ours is not the holder's. */
function isDead(holder) {
  return holder?.host === hostname() && (holder.pid === process.pid || !isAlive(holder.pid));
}

/** Undefined while the file is gone or not yet written to its end. */
async function readOwner(path) {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    // not there, or the holder is between creating and filling it
    return undefined;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
