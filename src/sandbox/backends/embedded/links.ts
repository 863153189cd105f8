/**
 * Deno checks the name of a file, then follows links: one that leads out of the workspace would be a door. Programs
 * behind this wall cannot make links. A workspace may bring some along, from a wall where programs can.
 */
import { readdir, readlink } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { AppError } from '#contracts/errors';

/** Throws AppError SANDBOX_FAILED for a link that leads out of the folder, or would after it or its folder is moved. */
export async function refuseLinks(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const target = await readlink(path);
    if (!isAbsolute(target) && !target.split(/[/\\]/).includes('..')) continue;
    throw new AppError('SANDBOX_FAILED', `The workspace has a link that may lead out of it: "${path}"`, {
      hint: 'Remove it, or use another --sandbox than embedded for this session',
    });
  }
}
