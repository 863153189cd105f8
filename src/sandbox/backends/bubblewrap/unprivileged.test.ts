/** A server that is root runs the same tests once more as somebody who is not. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';

const UID = 12_345;
const FILES = ['isolation', 'life', 'limits', 'mounts', 'syscalls'].map((name) =>
  fileURLToPath(new URL(`./${name}.test.ts`, import.meta.url)),
);

/** How this test finds the sources of the house. */
const CONDITIONS = process.execArgv.filter((argument) => argument.startsWith('--conditions'));

const isRoot = process.getuid?.() === 0;
const closedFolder = [process.execPath, ...FILES]
  .flatMap(foldersAbove)
  .find((folder) => (statSync(folder).mode & 0o001) === 0);
const reason = isRoot
  ? closedFolder && `other users may not enter ${closedFolder}`
  : 'this is not root: the other files test it';

it('the bubblewrap wall stands for a user without privileges', { skip: reason ?? false }, async () => {
  const home = mkdtempSync(join(tmpdir(), 'sallyport-unprivileged-'));
  chownSync(home, UID, UID);
  try {
    const { code, output } = await run(
      ['setpriv', `--reuid=${UID}`, `--regid=${UID}`, '--clear-groups', '--no-new-privs', '--'],
      [process.execPath, ...CONDITIONS, '--test', '--test-reporter=tap', ...FILES],
      { PATH: '/usr/bin:/bin', HOME: home, TMPDIR: home },
    );
    assert.equal(code, 0, output);
    assert.match(output, /^# fail 0$/m);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

function foldersAbove(file: string): string[] {
  const folder = dirname(file);
  return folder === file ? [] : [folder, ...foldersAbove(folder)];
}

function run(
  prefix: readonly string[],
  command: readonly string[],
  env: Record<string, string>,
): Promise<{ code: number | null; output: string }> {
  const [file = '', ...args] = [...prefix, ...command];
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (bytes: Buffer) => {
    output += bytes.toString();
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
}
