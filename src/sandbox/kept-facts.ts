/** Facts about this machine that cost time to find out, kept on disk under a key that changes when they might. */
import { readFileSync, statSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from '#observability/logger';

interface Kept {
  readonly key: string;
  readonly value: unknown;
}

/** Undefined when nothing is kept under this key. `keyOf` may look at the kept value itself. */
export function readKeptFact<Value>(file: string, keyOf: (value: Value) => string): Value | undefined {
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Kept;
    const value = kept.value as Value;
    return kept.key === keyOf(value) ? value : undefined;
  } catch {
    return undefined; // nothing there, or half-written by a machine that went down
  }
}

/** In the background: nobody waits for a cache. */
export function keepFact(file: string, key: string, value: unknown, logger: Logger): void {
  writeWhole(file, JSON.stringify({ key, value } satisfies Kept)).catch((cause: unknown) => {
    logger.debug('Cannot keep what was found out about this machine', { file, cause });
  });
}

/** Changes when the file does. */
export function fileStamp(file: string): string {
  const info = statSync(file, { throwIfNoEntry: false });
  return info ? `${info.ino}:${info.size}:${info.mtimeMs}` : '-';
}

async function writeWhole(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, text, { mode: 0o600 });
  await rename(temporary, file);
}
