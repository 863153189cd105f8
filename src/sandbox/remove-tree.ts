/**
 * Removes a folder that a program filled, whatever it made there: folders deeper than a path can name, names that are
 * no text, folders that nobody may enter. Nothing runs in it any more, and links are removed, never followed.
 *
 * Every folder is moved up to the top before it is read, so that no path grows longer than two names. A move does not
 * leave the file system: what is mounted below would make this fail instead of being removed.
 */
import { randomUUID } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { chmod, readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { errnoOf } from '#contracts/errors';

const OWNER_MAY_ALL = 0o700;

export async function removeTree(root: string): Promise<void> {
  const top = Buffer.from(root);
  const mark = randomUUID();
  const waiting: Buffer[] = [];
  let count = 0;
  for (let folder: Buffer | undefined = top; folder !== undefined; folder = waiting.pop()) {
    const entries = await readFolder(folder);
    if (entries === undefined) return; // the top itself is not there
    for (const entry of entries) {
      const path = child(folder, entry.name);
      if (!entry.isDirectory()) {
        await unlink(path);
        continue;
      }
      const moved = child(top, Buffer.from(`${mark}-${count++}`));
      await chmod(path, OWNER_MAY_ALL);
      await rename(path, moved);
      waiting.push(moved);
    }
    if (folder !== top) await rmdir(folder);
  }
  await rmdir(top);
}

async function readFolder(folder: Buffer): Promise<Array<Dirent<Buffer>> | undefined> {
  try {
    return await readdir(folder, { withFileTypes: true, encoding: 'buffer' });
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function child(folder: Buffer, name: Buffer): Buffer {
  return Buffer.concat([folder, Buffer.from('/'), name]);
}
