import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { changedFiles, readWorkspaceFile, scanWorkspace, writeInputFiles } from './workspace-files.ts';

let folder = '';
let workspace = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-workspace-'));
  workspace = join(folder, 'workspace');
  await mkdir(workspace);
  await writeFile(join(folder, 'host.txt'), 'secret of the host');
});
afterEach(() => rm(folder, { recursive: true }));

const text = (path: string, content = 'new') => [{ path, bytes: Buffer.from(content) }];

describe('writeInputFiles()', () => {
  it('makes the folders on the way and replaces what is there', async () => {
    await writeInputFiles(workspace, text('a/b/c.txt', 'long content'));
    await writeInputFiles(workspace, text('a/b/c.txt', 'x'));
    assert.equal(await readFile(join(workspace, 'a/b/c.txt'), 'utf8'), 'x');
  });

  it('gives files and folders to the owner of the workspace', async () => {
    await writeInputFiles(workspace, text('d/f'));
    const owner = (await stat(workspace)).uid;
    assert.deepEqual(
      [(await stat(join(workspace, 'd'))).uid, (await stat(join(workspace, 'd/f'))).uid],
      [owner, owner],
    );
  });

  const traps: ReadonlyArray<readonly [what: string, lay: () => Promise<void>, path: string]> = [
    ['a file that is a link out of the workspace', () => symlink('../host.txt', join(workspace, 'f')), 'f'],
    ['a folder that is a link out of the workspace', () => symlink('..', join(workspace, 'd')), 'd/host.txt'],
    ['a folder that is an absolute link', () => symlink(folder, join(workspace, 'd')), 'd/host.txt'],
    ['a link inside the workspace', () => symlink('.', join(workspace, 'd')), 'd/x'],
    ['a folder where a file should be', async () => void (await mkdir(join(workspace, 'f'))), 'f'],
    ['a file where a folder should be', () => writeFile(join(workspace, 'd'), ''), 'd/f'],
  ];
  for (const [what, lay, path] of traps) {
    it(`refuses ${what}, and the host's file stays as it is`, async () => {
      await lay();
      await assert.rejects(writeInputFiles(workspace, text(path)), { code: 'INVALID_INPUT' });
      assert.equal(await readFile(join(folder, 'host.txt'), 'utf8'), 'secret of the host');
    });
  }
});

describe('readWorkspaceFile()', () => {
  it('reads a file', async () => {
    await writeInputFiles(workspace, text('a/b', 'content'));
    assert.equal((await readWorkspaceFile(workspace, 'a/b', 100)).toString(), 'content');
  });

  it('does not follow links', async () => {
    await symlink('../host.txt', join(workspace, 'f'));
    await symlink(folder, join(workspace, 'd'));
    await assert.rejects(readWorkspaceFile(workspace, 'f', 100), { code: 'INVALID_INPUT' });
    await assert.rejects(readWorkspaceFile(workspace, 'd/host.txt', 100), { code: 'INVALID_INPUT' });
  });

  it('names what is missing or too long', async () => {
    await writeInputFiles(workspace, text('long', 'x'.repeat(200)));
    await assert.rejects(readWorkspaceFile(workspace, 'none', 100), {
      code: 'NOT_FOUND',
      message: 'No file "none" in the workspace',
    });
    await assert.rejects(readWorkspaceFile(workspace, 'long', 100), { code: 'INVALID_INPUT' });
  });
});

describe('scanWorkspace()', () => {
  it('finds new and changed files, and leaves out hidden ones, caches, links and mounts', async () => {
    await writeInputFiles(workspace, [...text('same'), ...text('grows')]);
    const before = scanWorkspace(workspace, new Set(['mounted']));
    await writeInputFiles(workspace, [
      ...text('grows', 'longer'),
      ...text('d/new'),
      ...text('.hidden'),
      ...text('__pycache__/x'),
      ...text('mounted/y'),
    ]);
    await symlink('/etc/passwd', join(workspace, 'link'));
    const after = scanWorkspace(workspace, new Set(['mounted']));
    assert.ok(before && after);
    assert.deepEqual(changedFiles(before, after), [
      { path: 'd/new', bytes: 3 },
      { path: 'grows', bytes: 6 },
    ]);
  });

  it('sees every change on a second look, however soon it comes', async () => {
    let before = scanWorkspace(workspace, new Set());
    for (let round = 0; round < 200; round++) {
      await writeFile(join(workspace, round % 3 === 0 ? 'same' : `f${round}`), String(round));
      const after = scanWorkspace(workspace, new Set(), before);
      assert.ok(before && after);
      assert.equal(changedFiles(before, after).length, 1, `round ${round}`);
      before = after;
    }
  });

  it('gives the same snapshot back when nothing has changed', async () => {
    await mkdir(join(workspace, 'd'));
    await writeFile(join(workspace, 'd/f'), 'x');
    await new Promise((resolve) => setTimeout(resolve, 80));
    const before = scanWorkspace(workspace, new Set());
    assert.equal(scanWorkspace(workspace, new Set(), before), before);
  });

  it('gives up on a workspace of very many files', async () => {
    await mkdir(join(workspace, 'd'));
    await Promise.all(Array.from({ length: 2_001 }, (_, index) => writeFile(join(workspace, 'd', String(index)), '')));
    assert.equal(scanWorkspace(workspace, new Set()), undefined);
  });
});
