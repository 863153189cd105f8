/** `DIR[:ro|rw]`, as people write it. */
import { homedir } from 'node:os';
import { basename, resolve } from 'node:path';
import { AppError } from '#contracts/errors';

export interface MountText {
  readonly source: string;
  /** The folder's name below `/workspace`. */
  readonly name: string;
  readonly mode: 'ro' | 'rw';
}

function parseMount(text: string): MountText {
  const match = /^(.+?)(?::(ro|rw))?$/s.exec(text);
  const source = resolve((match?.[1] ?? '').replace(/^~(?=\/|$)/, homedir()));
  const name = basename(source);
  if (name === '')
    throw new AppError('INVALID_CONFIG', `--mount "${text}" names the root of the file system`, {
      hint: 'Name a folder, such as ./data or ./data:rw',
    });
  return { source, name, mode: (match?.[2] as 'ro' | 'rw' | undefined) ?? 'ro' };
}

/** All mounts; two folders of the same name would hide each other. */
export function parseMounts(texts: readonly string[]): MountText[] {
  const mounts = texts.map(parseMount);
  for (const [index, mount] of mounts.entries()) {
    const other = mounts.findIndex(({ name }) => name === mount.name);
    if (other < index) {
      throw new AppError(
        'INVALID_CONFIG',
        `Two mounts are called "${mount.name}": "${mounts[other]?.source}" and "${mount.source}"`,
        { hint: 'Mount a folder above both, or rename one' },
      );
    }
  }
  return mounts;
}
