import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Puts the folder `fresh` in the place of `target` by renaming, so that nobody ever sees half of it. `aside` is a free
 * name on the same disk for the old one while it is being deleted.
 */
export async function replaceDirectory(fresh, target, aside) {
  try {
    await rename(target, aside);
  } catch (error) {
    // A mount point (EBUSY) or a folder of a lower image layer (EXDEV) cannot be renamed.
    if (error.code === 'EBUSY' || error.code === 'EXDEV') return await replaceContents(fresh, target);
    if (error.code !== 'ENOENT') throw error;
  }
  await rename(fresh, target);
  await rm(aside, { recursive: true, force: true });
}

async function replaceContents(fresh, target) {
  for (const name of await readdir(target)) await rm(join(target, name), { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  await cp(fresh, target, { recursive: true, verbatimSymlinks: true });
  await rm(fresh, { recursive: true, force: true });
}
