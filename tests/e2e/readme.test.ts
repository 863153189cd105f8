/** The README's transcript is run, and must print what it says. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runTranscript } from '../support/transcript.ts';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

describe('README.md', () => {
  it('shows what the commands really print', async () => {
    const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
    const [, transcript = ''] = /```console\n([\s\S]*?)```/.exec(readme) ?? [];
    const state = await mkdtemp(join(tmpdir(), 'sallyport-readme-'));
    try {
      assert.equal(await runTranscript(transcript, ROOT, { SALLYPORT_STATE_DIR: state }), transcript);
    } finally {
      await rm(state, { recursive: true, force: true });
    }
  });

  it('starts with commands that work', async () => {
    const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
    const [, commands = ''] = /## Start[\s\S]*?```sh\n([\s\S]*?)```/.exec(readme) ?? [];
    const lines = commands.trim().split('\n');
    assert.equal(lines[0], "./sallyport run -e 'print(6*7)'");
    assert.equal(await runTranscript(`$ ${lines[0]}\n42\n`, ROOT, {}), `$ ${lines[0]}\n42\n`);
  });
});
