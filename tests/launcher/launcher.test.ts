import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, copyFile, mkdir, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Checkout } from './checkout.ts';

const INSTALLING = 'sallyport: installing dependencies …\n';
const BUILDING = 'sallyport: building …\n';
const WAITING = 'sallyport: waiting for another process that is setting up …\n';

/** What the stand-in prints. */
function called(args: readonly string[], cwd: string, stdin = ''): string {
  return `${JSON.stringify({ args, stdin, cwd })}\n`;
}

describe('launcher', { skip: process.platform === 'win32' ? 'needs a POSIX shell' : false }, () => {
  it('sets up on first use, passes on arguments, stdin and exit code, and prints nothing else on stdout', async () => {
    await using checkout = await Checkout.create();
    const args = ['3', 'two words', '', '*', "it's"];
    assert.deepEqual(await checkout.start(args, { stdin: 'hello' }), {
      code: 3,
      stdout: called(args, checkout.base, 'hello'),
      stderr: INSTALLING + BUILDING,
    });
    assert.deepEqual(await readdir(join(checkout.folder, '.toolchain')), []);
  });

  it('works through chains of relative and absolute links, from another folder', async () => {
    await using checkout = await Checkout.create();
    const elsewhere = checkout.path('else where');
    await mkdir(elsewhere);
    await symlink('../a check out/sallyport', checkout.path('else where/first'));
    await symlink(checkout.path('else where/first'), checkout.path('second'));
    await symlink('../second', checkout.path('else where/third'));
    await symlink('a check out', checkout.path('linked folder'));
    await checkout.start(['0']);
    const ways = ['./first', '../second', './third', '../a check out/sallyport', '../linked folder/sallyport'];
    for (const command of ways) {
      assert.deepEqual(await checkout.start(['0'], { command, cwd: elsewhere }), {
        code: 0,
        stdout: called(['0'], elsewhere),
        stderr: '',
      });
    }
    const onPath = { PATH: `${elsewhere}:${checkout.path('bin')}:/usr/bin:/bin` };
    const { stdout } = await checkout.start(['-c', 'third 0'], { command: '/bin/sh', cwd: elsewhere, env: onPath });
    assert.equal(stdout, called(['0'], elsewhere));
  });

  it('sets up once for two processes that start at the same time', async () => {
    await using checkout = await Checkout.create();
    const both = await Promise.all([checkout.start(['0', 'a']), checkout.start(['0', 'b'])]);
    assert.deepEqual(
      both.map(({ code, stdout }) => ({ code, stdout })),
      ['a', 'b'].map((name) => ({ code: 0, stdout: called(['0', name], checkout.base) })),
    );
    assert.deepEqual(both.map(({ stderr }) => stderr).sort(), [INSTALLING + BUILDING, WAITING]);
    assert.equal(await checkout.npmCalls(), 1);
  });

  it('adds less than 100 ms and not a byte to later starts', async () => {
    await using checkout = await Checkout.create();
    await checkout.start(['0']);
    assert.equal((await checkout.start(['0'])).stderr, '');
    const main = join(checkout.folder, 'dist/main.js');
    const direct = medianMs(() => spawnSync(process.execPath, [main, '0']));
    const launched = medianMs(() => spawnSync(checkout.launcher, ['0']));
    assert.ok(launched - direct < 100, `the launcher adds ${launched - direct} ms`);
  });

  it('builds again when a source is newer, and only then', async () => {
    await using checkout = await Checkout.create();
    await checkout.start(['0']);
    await writeFile(join(checkout.folder, 'src/main.ts'), "process.stdout.write('changed\\n');\n");
    assert.deepEqual(await checkout.start([]), { code: 0, stdout: 'changed\n', stderr: BUILDING });
    await writeFile(join(checkout.folder, 'src/main.test.ts'), '');
    const before = new Date(0);
    await utimes(join(checkout.folder, 'src'), before, before); // a new test changes its folder too
    assert.deepEqual(await checkout.start([]), { code: 0, stdout: 'changed\n', stderr: '' });
  });

  it('keeps the last good build and says where the source is broken', async () => {
    await using checkout = await Checkout.create();
    await checkout.start(['0']);
    await writeFile(join(checkout.folder, 'src/broken.ts'), 'const x = ;\n');
    const { code, stdout, stderr } = await checkout.start(['0']);
    assert.deepEqual({ code, stdout }, { code: 125, stdout: '' });
    assert.match(stderr, /^sallyport: the build failed\n\n {4}src\/broken\.ts\(1,11\): error TS1109: .*\n {2}→ /m);
    await rm(join(checkout.folder, 'src/broken.ts'));
    assert.equal((await checkout.start(['0'])).code, 0);
  });

  it('takes over at once from a process that died while setting up', async () => {
    await using checkout = await Checkout.create();
    const { pid } = spawnSync(process.execPath, ['--version']);
    await mkdir(join(checkout.folder, '.toolchain', `tmp-${pid}`), { recursive: true });
    const owner = JSON.stringify({ pid, host: hostname(), token: 'of the dead' });
    await writeFile(join(checkout.folder, '.toolchain', 'lock'), owner);
    assert.equal((await checkout.start(['0'])).stderr, INSTALLING + BUILDING);
    assert.deepEqual(await readdir(join(checkout.folder, '.toolchain')), []);
  });

  it('says what to do when there is no network, and works when there is one again', async () => {
    await using checkout = await Checkout.create();
    await checkout.setOffline(true);
    assert.deepEqual(await checkout.start(['0']), {
      code: 125,
      stdout: '',
      stderr: `${INSTALLING}sallyport: cannot install the dependencies (npm: ENOTFOUND)

    npm error code ENOTFOUND
  → npm could not reach its registry: check the network (or \`npm config get registry\` and the proxy settings) and start again
`,
    });
    await checkout.setOffline(false);
    assert.equal((await checkout.start(['0'])).code, 0);
  });

  it('says that Node.js is missing', async () => {
    await using checkout = await Checkout.create();
    const empty = { PATH: checkout.path('nothing') };
    assert.deepEqual(await checkout.start(['0'], { env: empty }), {
      code: 125,
      stdout: '',
      stderr: 'sallyport: Node.js is missing\n  → install Node.js 18 or newer together with npm, and start again\n',
    });
  });

  it('says that it may not write to its folder', async () => {
    await using checkout = await Checkout.create();
    await chmod(checkout.base, 0o755);
    await rm(checkout.path('bin/node'));
    await copyFile(process.execPath, checkout.path('bin/node')); // the one in use may lie where only its owner can go
    await chmod(checkout.folder, 0o555);
    const stranger = process.getuid?.() === 0 ? { uid: 65534 } : {};
    assert.deepEqual(await checkout.start(['0'], stranger), {
      code: 125,
      stdout: '',
      stderr: `sallyport: cannot write to ${checkout.folder} (EACCES)
  → run ./sallyport once as the owner of that folder, or copy the folder to a place where you may write
`,
    });
    await chmod(checkout.folder, 0o755);
  });

  it('starts an installed package, which has no sources, without setting anything up', async () => {
    await using checkout = await Checkout.create();
    await checkout.start(['0']);
    for (const name of ['src', 'node_modules', '.toolchain', 'dist/.ready']) {
      await rm(join(checkout.folder, name), { recursive: true });
    }
    const expected = { code: 4, stdout: called(['4'], checkout.folder), stderr: '' };
    for (const command of ['./sallyport', './scripts/bin.mjs']) {
      assert.deepEqual(await checkout.start(['4'], { command, cwd: checkout.folder }), expected);
    }
  });
});

function medianMs(work: () => void): number {
  const times = Array.from({ length: 9 }, () => {
    const startedAt = performance.now();
    work();
    return performance.now() - startedAt;
  });
  return times.sort((a, b) => a - b)[4] as number;
}
