/** Host folders behind the wall: what can be read and written, and what on the host stays as it is. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { AppError } from '#contracts/errors';
import type { MountRequest } from '../../backend.ts';
import { BackendUnderTest, type Program } from './under-test.ts';

const TRY = `
import errno, os
def attempt(action):
    try:
        action()
        return 'ok'
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error.errno))
def write(path):
    with open(path, 'w') as file:
        file.write('from inside')
`;

describe('mounts behind the bubblewrap wall', () => {
  let wall: BackendUnderTest;
  let folder: string;
  let count = 0;

  before(() => {
    wall = new BackendUnderTest();
  });
  after(() => wall.close());
  beforeEach(() => {
    folder = wall.path(`project ${++count}`);
    writeFileSync(join(folder, 'data.txt'), 'from outside', { mode: 0o600 });
  });

  async function start(mounts: readonly MountRequest[], workspace?: string): Promise<Program> {
    const python = await wall.start('python', { mounts, ...(workspace === undefined ? {} : { workspace }) });
    await python.ask(TRY);
    return python;
  }

  it('a read-only folder can be read and not written', async () => {
    const python = await start([{ source: folder, name: 'my data', mode: 'ro' }]);
    const code = `
result = [
    sorted(os.listdir('/workspace')),
    open('/workspace/my data/data.txt').read(),
    attempt(lambda: write('/workspace/my data/data.txt')),
    attempt(lambda: write('/workspace/my data/new')),
    attempt(lambda: os.rename('/workspace/my data', '/workspace/other')),
]`;
    assert.deepEqual(await python.ask(code), [['my data'], 'from outside', 'EROFS', 'EROFS', 'EBUSY']);
    assert.deepEqual(readdirSync(folder), ['data.txt']);
  });

  it('a writable folder takes files, which belong to its owner', async () => {
    if (process.getuid?.() === 0) {
      for (const path of [folder, join(folder, 'data.txt')]) chownSync(path, 4_321, 4_321);
    }
    const owner = statSync(folder).uid;
    const python = await start([{ source: folder, name: 'data', mode: 'rw' }]);
    const code = `
def nested():
    os.mkdir('/workspace/data/new')
    write('/workspace/data/new/file')
result = [attempt(lambda: write('/workspace/data/data.txt')), attempt(nested), attempt(lambda: os.chmod('/workspace/data/data.txt', 0o4755))]`;
    assert.deepEqual(await python.ask(code), ['ok', 'ok', 'EPERM']);
    const made = ['data.txt', 'new', 'new/file'].map((name) => statSync(join(folder, name)).uid);
    assert.deepEqual(made, [owner, owner, owner]);
    assert.equal(readFileSync(join(folder, 'new/file'), 'utf8'), 'from inside');
  });

  it('what runs on the host later cannot be changed or made in a writable folder', async () => {
    mkdirSync(join(folder, '.git/hooks'), { recursive: true });
    writeFileSync(join(folder, '.git/config'), '[core]');
    writeFileSync(join(folder, '.bashrc'), 'true');
    mkdirSync(join(folder, 'packages/app/.git'), { recursive: true });
    const python = await start([{ source: folder, name: 'data', mode: 'rw' }]);
    const verdicts = {
      '.git/hooks/pre-commit': 'EROFS',
      '.git/config': 'EROFS',
      '.bashrc': 'EROFS',
      'packages/app/.git/config': 'EROFS',
      '.vscode/tasks.json': 'EROFS',
      '.mcp.json': 'EROFS',
      '.claude/settings.json': 'EROFS',
      harmless: 'ok',
    };
    const names = JSON.stringify(Object.keys(verdicts));
    assert.deepEqual(
      await python.ask(`result = {name: attempt(lambda: write('/workspace/data/' + name)) for name in ${names}}`),
      verdicts,
    );
    const moves = await python.ask(`
import shutil
result = [
    attempt(lambda: os.rename('/workspace/data/.git', '/workspace/data/old')),
    attempt(lambda: os.rename('/workspace/data/.vscode', '/workspace/data/old')),
    attempt(lambda: os.remove('/workspace/data/.mcp.json')),
    attempt(lambda: os.symlink('/tmp', '/workspace/data/.cursor')),
]`);
    assert.deepEqual(moves, ['EBUSY', 'EBUSY', 'EBUSY', 'EEXIST']);

    assert.equal(existsSync(join(folder, '.vscode')), true, 'a place holder stands while the sandbox lives');
    await python.sandbox.kill();
    assert.deepEqual(readdirSync(folder).sort(), ['.bashrc', '.git', 'data.txt', 'harmless', 'packages']);
  });

  it('a runtime in a writable folder cannot be changed: the host runs it too', async () => {
    const venv = join(folder, '.venv');
    execFileSync('/usr/bin/python3', ['-m', 'venv', '--without-pip', venv]);
    const own = new BackendUnderTest({ python: venv });
    try {
      const python = await own.start('python', { mounts: [{ source: folder, name: 'data', mode: 'rw' }] });
      await python.ask(TRY);
      const code = `
import sys
result = [sys.prefix, attempt(lambda: write('/workspace/data/.venv/bin/python')), attempt(lambda: write('/workspace/data/new'))]`;
      assert.deepEqual(await python.ask(code), [venv, 'EROFS', 'ok']);
    } finally {
      await own.close();
    }
  });

  it('place holders stay for as long as a sandbox needs them, and with what somebody put there', async () => {
    const mounts = [{ source: folder, name: 'data', mode: 'rw' }] as const;
    const [first, second] = [await start(mounts), await start(mounts)];
    await first.sandbox.kill();
    assert.equal(await second.ask("result = attempt(lambda: write('/workspace/data/.mcp.json'))"), 'EROFS');
    writeFileSync(join(folder, '.mcp.json'), '{}');
    await second.sandbox.kill();
    assert.deepEqual(readdirSync(folder).sort(), ['.mcp.json', 'data.txt']);
  });

  it("Sallyport's own state is not seen in a folder above it", async () => {
    const python = await start([{ source: wall.directory, name: 'all', mode: 'ro' }]);
    assert.deepEqual(
      await python.ask("result = [os.listdir('/workspace/all/state'), 'inside' in os.listdir('/workspace/all')]"),
      [[], true],
    );
    assert.equal(await python.ask("result = attempt(lambda: write('/workspace/all/state/x'))"), 'EROFS');
  });

  it('a link in the workspace does not lead a mount elsewhere', async () => {
    const workspace = wall.path('state/sessions/linked/workspace');
    symlinkSync('/tmp', join(workspace, 'data'));
    await assert.rejects(start([{ source: folder, name: 'data', mode: 'ro' }], workspace), (error) => {
      assert.ok(error instanceof AppError);
      assert.deepEqual(
        [error.code, error.message],
        ['SANDBOX_FAILED', 'Cannot mount "data": the workspace has a file or link of that name'],
      );
      return true;
    });
    rmSync(join(workspace, 'data'));
    const python = await start([{ source: folder, name: 'data', mode: 'ro' }], workspace);
    assert.equal(await python.ask("result = open('/workspace/data/data.txt').read()"), 'from outside');
  });

  for (const [what, source, mode, reason] of [
    ['the root', () => '/', 'ro', 'it shows the processes and services of this machine'],
    ['/proc', () => '/proc/self', 'ro', 'it shows the processes and services of this machine'],
    ['the home, writable', () => wall.path('home'), 'rw', 'it holds the home folder, which is never writable'],
    [
      'a folder above the home, writable',
      () => wall.directory,
      'rw',
      'it holds the home folder, which is never writable',
    ],
    [
      'settings in the home, writable',
      () => wall.path('home/.config/app'),
      'rw',
      '".config" in the home folder holds settings that run on this machine later',
    ],
    ['the system, writable', () => '/etc', 'rw', 'it holds programs or settings of this machine'],
    ['the state', () => wall.path('state/sessions'), 'ro', "it holds Sallyport's own state"],
    ['a file', () => join(folder, 'data.txt'), 'ro', 'it is not a folder'],
    ['nothing', () => join(folder, 'missing'), 'ro', 'it cannot be opened: ENOENT'],
  ] as const) {
    it(`${what} cannot be mounted`, async () => {
      const path = source();
      await assert.rejects(wall.create({ mounts: [{ source: path, name: 'x', mode }] }), (error) => {
        assert.ok(error instanceof AppError);
        assert.deepEqual([error.code, error.message], ['INVALID_CONFIG', `Cannot mount "${path}": ${reason}`]);
        return true;
      });
    });
  }

  it('the home can be mounted read-only', async () => {
    writeFileSync(join(wall.path('home'), 'notes'), 'mine');
    const python = await start([{ source: wall.path('home'), name: 'home', mode: 'ro' }]);
    assert.equal(await python.ask("result = open('/workspace/home/notes').read()"), 'mine');
  });
});
