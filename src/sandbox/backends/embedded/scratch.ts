/**
 * `/tmp` of a sandbox: a private folder on the host, gone with the sandbox. One that outlives a killed server is
 * removed by the next one, which sees from the name that its owner is gone.
 */
import { lstat, mkdir, mkdtemp, readdir, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { errnoOf } from '#contracts/errors';
import { removeTree } from '../../remove-tree.ts';

/** The unit of `blocks`, whatever the file system's own is. */
const BLOCK_BYTES = 512;
const NOTHING = { blocks: 0, size: 0 };
/** The program may open its own folder to everybody, and mark files to run as their owner. Nobody gets to it: the outer one is closed. */
const INNER = 'tmp';
const NAME = /^sallyport-tmp-(\d+)-/;

export async function createScratch(): Promise<string> {
  const outer = await realpath(await mkdtemp(join(tmpdir(), `sallyport-tmp-${process.pid}-`)));
  const inner = join(outer, INNER);
  await mkdir(inner);
  return inner;
}

export async function removeScratch(folder: string): Promise<void> {
  await removeTree(dirname(folder));
}

export async function sweepScratch(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = Number(NAME.exec(name)?.[1] ?? 0);
    const folder = join(tmpdir(), name);
    if (pid > 0 && !isAlive(pid) && (await isOurs(folder))) await removeTree(folder);
  }
}

/** Everybody may write to the folder of temporary files; what others put there under such a name is left alone. */
async function isOurs(folder: string): Promise<boolean> {
  const { uid } = await lstat(folder);
  return process.getuid === undefined || uid === process.getuid();
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) !== 'ESRCH';
  }
}

/** What the files in a folder take on the disk. */
export async function folderBytes(folder: string): Promise<number> {
  let bytes = 0;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(errnoOf);
  // Deeper than a path can name: what cannot be counted is taken for too much.
  if (entries === 'ENAMETOOLONG') return Number.POSITIVE_INFINITY;
  for (const entry of Array.isArray(entries) ? entries : []) {
    if (!entry.isFile()) continue;
    const { blocks, size } = await lstat(join(entry.parentPath, entry.name)).catch(() => NOTHING); // removed meanwhile
    bytes += blocks === undefined ? size : blocks * BLOCK_BYTES;
  }
  return bytes;
}
