/** Runs with a folder of the host behind the wall, each in a server of its own: mounts are settled when it starts. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type CommandResult, sallyport } from '../support/command.ts';
import { wallFlags } from '../support/walls.ts';
import type { Field } from './field.ts';

export const NO_MOUNTS = { embedded: 'it declares that it cannot mount folders of the host' };

/** A state directory and a folder `project` to mount, both gone afterwards. */
export async function withProject<T>(
  field: Field,
  use: (project: string, run: (code: string, mount: string) => Promise<CommandResult>) => Promise<T>,
): Promise<T> {
  const place = await mkdtemp('/var/tmp/sallyport-mounts-');
  const stateDir = join(place, 'state');
  const run = (code: string, mount: string) =>
    sallyport(['run', ...wallFlags(field.wall), '--session', 'mounts', '--mount', mount, '-l', 'bash', '-e', code], {
      stateDir,
    });
  try {
    return await use(join(place, 'project'), run);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}
