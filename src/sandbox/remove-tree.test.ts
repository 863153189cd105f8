import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { removeTree } from './remove-tree.ts';

it('removeTree() removes folders deeper than a path, closed ones, and names that are no text; it follows no link', async () => {
  const top = mkdtempSync(join(tmpdir(), 'sallyport-remove-'));
  const kept = mkdtempSync(join(tmpdir(), 'sallyport-kept-'));
  writeFileSync(join(kept, 'file'), 'kept');
  const deep = 'import os\nfor i in range(400):\n    os.mkdir("d" * 20); open("f", "w").close(); os.chdir("d" * 20)';
  execFileSync('python3', ['-c', deep], { cwd: top });
  writeFileSync(Buffer.concat([Buffer.from(`${top}/`), Buffer.from([0xff, 0xfe])]), 'x');
  mkdirSync(join(top, 'closed/inner'), { recursive: true });
  chmodSync(join(top, 'closed/inner'), 0);
  symlinkSync(kept, join(top, 'link'));
  await removeTree(top);
  assert.equal(existsSync(top), false);
  assert.equal(readFileSync(join(kept, 'file'), 'utf8'), 'kept');
  await removeTree(kept);
  await removeTree(kept); // not there
  assert.throws(() => rmdirSync(kept));
});
