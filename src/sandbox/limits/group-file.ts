/** A control file that is read for every run: opened once, read from its start without allocating. */
import { closeSync, openSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, messageOf } from '#contracts/errors';

const buffer = Buffer.alloc(8192);

export class GroupFile {
  readonly #fd: number;
  readonly #isWritable: boolean;
  #isOpen = true;

  private constructor(fd: number, isWritable: boolean) {
    this.#fd = fd;
    this.#isWritable = isWritable;
  }

  /** Undefined when the kernel does not have the file. */
  static open(path: string): GroupFile | undefined {
    for (const flags of ['r+', 'r'] as const) {
      try {
        return new GroupFile(openSync(path, flags), flags === 'r+');
      } catch {
        // Tried read-only next; a file that is not there at all is the caller's to judge.
      }
    }
    return undefined;
  }

  text(): string {
    if (!this.#isOpen) return '';
    try {
      return buffer.toString('latin1', 0, readSync(this.#fd, buffer, 0, buffer.length, 0));
    } catch {
      return ''; // ENODEV: the group was removed
    }
  }

  number(): number | null {
    const text = this.text();
    return text === '' ? null : Number(text);
  }

  /** The value of a line `key value`. */
  field(key: string): number | null {
    const match = new RegExp(`^${key} (\\d+)$`, 'm').exec(this.text());
    return match === null ? null : Number(match[1]);
  }

  /** False when the kernel does not take it. */
  write(text: string): boolean {
    if (!this.#isOpen || !this.#isWritable) return false;
    try {
      writeSync(this.#fd, text);
      return true;
    } catch {
      return false; // an older kernel: the file is for reading
    }
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeSync(this.#fd);
  }
}

/** Sets limits, all or none: a value that the kernel does not take is the end of the group. */
export function writeControls(group: string, controls: Readonly<Record<string, string>>): void {
  for (const [file, value] of Object.entries(controls)) {
    try {
      writeFileSync(join(group, file), value);
    } catch (cause) {
      throw new AppError('SANDBOX_FAILED', `Cannot set the limit ${file} to ${value}: ${messageOf(cause)}`, { cause });
    }
  }
}
