/** Small caches on disk: read if they can be, written whole, never waited for by anybody who could go on without. */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

let writes = 0;

/** Undefined when there is no such file, or none that can be read: half-written, of another version, of another user. */
export async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return undefined; // it will be written anew
  }
}

/** A reader sees the old file or the new one. */
export async function writeJson(file: string, value: unknown): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  writes += 1;
  const temporary = `${file}.${process.pid}.${writes}`;
  try {
    await writeFile(temporary, JSON.stringify(value), { mode: 0o600 });
    await rename(temporary, file);
  } catch (cause) {
    await rm(temporary, { force: true });
    throw cause;
  }
}
