/** Config files are other people's: whatever is at the path, this ends soon, and says in a sentence what it met. */
import { constants, readFileSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { errnoOf } from '#contracts/errors';

/** No config that a person writes is near this; what is bigger is something else under the name. */
const CONFIG_BYTES_MAX = 1024 * 1024;

export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'Cannot be read: permission denied',
  EPERM: 'Cannot be read: permission denied',
  ELOOP: 'Cannot be read: its links lead in a circle',
  EISDIR: 'Is a folder where a file is expected',
  ENXIO: 'Is no plain file',
};

/** Undefined when there is no such file; an `UnreadableFile` when there is one that cannot be used. */
export async function readConfigFile(path: string, bytesMax = CONFIG_BYTES_MAX): Promise<string | undefined> {
  try {
    // Without waiting: opening a pipe that nobody writes to would never end.
    await using handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const info = await handle.stat();
    if (info.isDirectory()) throw new UnreadableFile(REASONS.EISDIR);
    if (!info.isFile()) throw new UnreadableFile(REASONS.ENXIO);
    if (info.size > bytesMax) throw tooLarge(info.size, bytesMax);
    const bytes = await handle.readFile();
    if (bytes.length > bytesMax) throw tooLarge(bytes.length, bytesMax);
    return decode(bytes);
  } catch (cause) {
    if (cause instanceof UnreadableFile) throw cause;
    const code = errnoOf(cause);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new UnreadableFile(REASONS[code ?? ''] ?? `Cannot be read: ${code ?? 'unknown error'}`, { cause });
  }
}

function tooLarge(bytes: number, bytesMax: number): UnreadableFile {
  const mib = (value: number) => `${(value / 1024 / 1024).toFixed(1)} MiB`;
  return new UnreadableFile(`Has ${mib(bytes)}; a config of at most ${mib(bytesMax)} is read`);
}

/** UTF-8, or UTF-16 with its mark: that is what PowerShell makes of `>`. */
function decode(bytes: Buffer): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new UnreadableFile('Is not text in UTF-8', { cause });
  }
}

/** Bytes of a file that an entry refers to for one value. */
const VALUE_BYTES_MAX = 64 * 1024;

/** The text of a small plain file; undefined when there is none. At once, because it is wanted in the middle of a text. */
export function readValueFile(path: string): string | undefined {
  try {
    const info = statSync(path);
    return info.isFile() && info.size <= VALUE_BYTES_MAX ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined; // for the caller a file that cannot be read is one that is missing
  }
}
