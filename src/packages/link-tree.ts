/** A copy of a folder whose files are the same files (hard links where the disk has them). Links inside are left out. */
import { constants } from 'node:fs';
import { copyFile, link, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export async function linkTree(source: string, target: string): Promise<void> {
  await mkdir(target, { recursive: true, mode: 0o755 });
  for (const entry of await readdir(source, { withFileTypes: true })) {
    const from = join(source, entry.name);
    const to = join(target, entry.name);
    if (entry.isDirectory()) await linkTree(from, to);
    else if (entry.isFile()) await link(from, to).catch(() => copyFile(from, to, constants.COPYFILE_FICLONE));
  }
}
