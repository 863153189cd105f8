/**
 * The workspace's quota, watched from outside while a run is going on.
 *
 * Asking the file system how much is free costs microseconds and says whether anything was written at all; only when
 * so much is gone that the quota could be passed, or now and then, is the tree added up. A run shorter than one look
 * pays for a timer.
 */
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, opendir, statfs } from 'node:fs/promises';
import { join } from 'node:path';

export interface WorkspaceQuota {
  readonly bytes: number;
  readonly files: number;
}

export interface WorkspaceWatch {
  stop(): void;
}

interface Size {
  readonly bytes: number;
  readonly files: number;
}

/** What is known of a tree: its size, what was free on its file system then, and when that was. */
interface Count {
  readonly size: Size;
  readonly free: Size;
  readonly at: number;
  readonly tookMs: number;
}

const LOOK_MS = 100;
/** The tree is added up again when so much of the quota was written since the last time. */
const RECOUNT_SHARE = 1 / 16;
/** Others free space on the same file system too, which hides what is written; so no count is believed for longer. */
const BELIEVED_MS = 2_000;
/** Of the time, at most one part in so many goes into adding up. */
const REST_FACTOR = 20;
/** Block size of `stat`, whatever the file system's own is. */
const STAT_BLOCK_BYTES = 512;
const COUNTS_KEPT = 256;

/** The last count of each workspace, so that not every run begins with one. */
const counts = new Map<string, Count>();

/**
 * Calls `onExceeded` once when the workspace holds more than its quota. One that was already too full may become
 * smaller, or stay: somebody has to be able to clean it up.
 */
export function watchWorkspace(directory: string, quota: WorkspaceQuota, onExceeded: () => void): WorkspaceWatch {
  const counted = counts.get(directory)?.size;
  const before = counted === EVERYTHING ? undefined : counted;
  const allowed = {
    bytes: Math.max(quota.bytes, before?.bytes ?? 0),
    files: Math.max(quota.files, before?.files ?? 0),
  };
  let isStopped = false;
  let timer = schedule();

  function schedule(): NodeJS.Timeout {
    return setTimeout(() => void look(), LOOK_MS).unref();
  }

  async function look(): Promise<void> {
    try {
      if (await isExceeded()) {
        if (!isStopped) onExceeded();
        isStopped = true;
      }
    } catch {
      // The workspace is gone or not readable at this moment: the next look will tell.
    }
    if (!isStopped) timer = schedule();
  }

  async function isExceeded(): Promise<boolean> {
    const free = await freeSpace(directory);
    const last = counts.get(directory);
    if (last && isBelieved(last, free, quota)) return false;
    const startedAt = performance.now();
    const size = await measureTree(directory, allowed, () => isStopped);
    const at = performance.now();
    if (!isStopped) keepCount(directory, { size, free, at, tookMs: at - startedAt });
    return size.bytes > allowed.bytes || size.files > allowed.files;
  }

  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/** Whether so little has been written since the count that the tree must still be inside its quota. */
function isBelieved({ size, free, at, tookMs }: Count, freeNow: Size, quota: WorkspaceQuota): boolean {
  if (performance.now() - at > Math.max(BELIEVED_MS, tookMs * REST_FACTOR)) return false;
  if (size.bytes > quota.bytes || size.files > quota.files) return false;
  const room = (name: 'bytes' | 'files') => Math.max(quota[name] - size[name], quota[name] * RECOUNT_SHARE);
  return free.bytes - freeNow.bytes < room('bytes') && free.files - freeNow.files < room('files');
}

function keepCount(directory: string, count: Count): void {
  counts.delete(directory);
  counts.set(directory, count);
  const [oldest] = counts.keys();
  if (counts.size > COUNTS_KEPT && oldest !== undefined) counts.delete(oldest);
}

async function freeSpace(directory: string): Promise<Size> {
  const { bavail, bsize, ffree } = await statfs(directory);
  return { bytes: bavail * bsize, files: ffree };
}

/** Half of what the kernel takes. */
const LONG_PATH_BYTES = 2_000;
const LONG_PATHS_MAX = 64;
/** What cannot be counted is taken for more than is allowed: it would be a place to hide any amount. */
const EVERYTHING: Size = { bytes: Number.POSITIVE_INFINITY, files: Number.POSITIVE_INFINITY };

/** Adds up what the tree holds, never following a link or leaving its file system, and no further than past `enough`. */
async function measureTree(directory: string, enough: Size, isStopped: () => boolean): Promise<Size> {
  const device = (await lstat(directory)).dev;
  /** A file with several names is counted once. */
  const linked = new Set<number>();
  const folders = [directory];
  await using handles = new FolderHandles();
  let bytes = 0;
  let files = 0;
  const isDone = () => isStopped() || bytes > enough.bytes || files > enough.files;
  for (let folder = folders.pop(); folder !== undefined && !isDone(); folder = folders.pop()) {
    const short = await handles.shorten(folder);
    if (short === undefined) return EVERYTHING;
    const entries = await opendir(short).catch(() => undefined); // removed or closed by the program meanwhile
    if (!entries) continue;
    for await (const entry of entries) {
      if (isDone()) break;
      const path = join(short, entry.name);
      const info = await lstat(path).catch(() => undefined);
      if (!info || info.dev !== device) continue;
      files++;
      if (info.isDirectory()) folders.push(path);
      if (info.nlink > 1 && !info.isDirectory()) {
        if (linked.has(info.ino)) continue;
        linked.add(info.ino);
      }
      bytes += info.blocks * STAT_BLOCK_BYTES;
    }
  }
  return { bytes, files };
}

/** Open folders that stand for long paths, so that no path grows past what the kernel takes. Linux alone has a way. */
class FolderHandles {
  readonly #open: FileHandle[] = [];

  /** A path of the same folder that leaves room for one more name; undefined when there is none. */
  async shorten(folder: string): Promise<string | undefined> {
    if (Buffer.byteLength(folder) < LONG_PATH_BYTES) return folder;
    if (process.platform !== 'linux' || this.#open.length >= LONG_PATHS_MAX) return undefined;
    const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW).catch(
      () => undefined,
    );
    if (!handle) return folder; // gone meanwhile
    this.#open.push(handle);
    return `/proc/self/fd/${handle.fd}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#open.map((handle) => handle.close()));
  }
}
