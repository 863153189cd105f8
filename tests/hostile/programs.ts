/** Attack programs that others wrote, read from the outside data: every `hostile-*` folder, every file of JSON lines in it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

export interface HostileProgram {
  readonly id: string;
  readonly language: string;
  readonly code: string;
}

/** Why there are none; undefined where there are. */
export function missingData(): string | undefined {
  const root = process.env.SALLYPORT_TEST_DATA;
  if (root === undefined) return 'SALLYPORT_TEST_DATA names no folder with outside data';
  return existsSync(root) ? undefined : `there is no folder ${root}`;
}

export function readPrograms(): HostileProgram[] {
  const root = process.env.SALLYPORT_TEST_DATA ?? '';
  const folders = readdirSync(root).filter((name) => name.startsWith('hostile-'));
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => /\.jsonl(?:\.gz)?$/.test(name))
      .flatMap((name) => parseLines(join(root, folder, name))),
  );
}

function parseLines(file: string): HostileProgram[] {
  const bytes = readFileSync(file);
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as HostileProgram);
}
