import assert from 'node:assert/strict';
import { chmod, mkdtemp, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '#observability/logger';
import { type InstallTools, installCommand } from './commands.ts';
import { fillShelf } from './shelf.ts';
import { PackageStore } from './store.ts';
import { npmWish, pypiWish } from './wish.ts';

const never = new AbortController().signal;
const logger = createLogger('silent', () => {});

describe('installCommand()', () => {
  const tools: InstallTools = { python: '/p', uv: undefined, npm: '/n' };

  it('has pip take wheels only, and reads the wishes from a file', () => {
    const command = installCommand('pypi', [pypiWish('six==1.16.0')], tools, undefined);
    assert.equal(command?.file, '/p');
    assert.deepEqual(command?.args.slice(0, 5), ['-I', '-m', 'pip', 'install', '--only-binary=:all:']);
    assert.equal(command?.input.text, 'six==1.16.0\n');
  });

  it('prefers uv', () => {
    const command = installCommand('pypi', [pypiWish('six')], { ...tools, uv: '/u' }, 'https://r.example');
    assert.equal(command?.file, '/u');
    assert.ok(command?.args.includes('--only-binary=:all:'));
    assert.ok(command?.args.join(' ').includes('--index-url https://r.example'));
    assert.ok(command?.args.join(' ').includes('--python /p'));
  });

  it('has npm run no scripts', () => {
    const command = installCommand('npm', [npmWish('x'), npmWish('y@^1')], tools, 'https://r.example');
    assert.ok(command?.args.includes('--ignore-scripts'));
    assert.deepEqual(command?.args.slice(-2), ['--registry', 'https://r.example']);
    assert.deepEqual(JSON.parse(command?.input.text ?? ''), { private: true, dependencies: { x: '*', y: '^1' } });
  });

  it('says when there is no tool', () => {
    assert.equal(installCommand('npm', [], { ...tools, npm: undefined }, undefined), undefined);
    assert.equal(installCommand('pypi', [], { ...tools, python: undefined }, undefined), undefined);
  });
});

describe('PackageStore', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sallyport-packages-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Stands for npm: a script that notes that it was started and then does what the test wants. */
  async function storeWith(
    name: string,
    script: string,
  ): Promise<{ store: PackageStore; starts: () => Promise<number> }> {
    const npm = join(folder, `${name}.sh`);
    const log = join(folder, `${name}.log`);
    await writeFile(npm, `#!/bin/sh\necho x >> '${log}'\n${script}\n`);
    await chmod(npm, 0o755);
    const store = new PackageStore({
      directory: join(folder, name),
      tools: async () => ({ python: undefined, uv: undefined, npm }),
      env: { PATH: process.env.PATH ?? '' },
      registries: {},
      logger,
    });
    return { store, starts: async () => (await readFile(log, 'utf8').catch(() => '')).split('\n').length - 1 };
  }

  it('installs once for all who ask, and finds it again', async () => {
    const { store, starts } = await storeWith(
      'once',
      'sleep 0.2; mkdir -p node_modules/x; echo 1 > node_modules/x/i.js',
    );
    const [a, b] = await Promise.all([1, 2].map(() => store.get('npm', [npmWish('x')], never)));
    assert.equal(a, b);
    assert.equal(await store.get('npm', [npmWish('x')], never), a);
    assert.equal(await starts(), 1);
    assert.deepEqual(await readdir(join(folder, 'once')), [a?.split('/').pop()]);
  });

  it('lets everybody read what the server alone could', async () => {
    const { store } = await storeWith('mask', 'umask 077; mkdir -p node_modules/x; echo 1 > node_modules/x/i.js');
    const set = await store.get('npm', [npmWish('x')], never);
    assert.equal((await stat(join(set, 'x'))).mode & 0o777, 0o755);
    assert.equal((await stat(join(set, 'x', 'i.js'))).mode & 0o777, 0o644);
  });

  it('tells the tool’s own words, without addresses, and forgets the failure', async () => {
    const { store, starts } = await storeWith(
      'fails',
      'echo "npm ERR! 404 https://user:secret@h/x not found" >&2; exit 1',
    );
    for (const _ of [1, 2]) {
      await assert.rejects(store.get('npm', [npmWish('x')], never), {
        code: 'PACKAGES_FAILED',
        message: 'x could not be installed from npm: npm ERR! 404 … not found',
      });
    }
    assert.equal(await starts(), 2);
    assert.deepEqual(await readdir(join(folder, 'fails')), []);
  });

  it('goes on while one still waits, and ends with the last one', async () => {
    const { store } = await storeWith('left', `sleep 0.5; mkdir node_modules; touch '${folder}/reached'`);
    const [one, two] = [new AbortController(), new AbortController()];
    const gone = assert.rejects(store.get('npm', [npmWish('x')], one.signal), { code: 'PACKAGES_FAILED' });
    const stays = store.get('npm', [npmWish('x')], two.signal);
    await sleep(100);
    one.abort();
    await gone;
    await stays;
    await rm(join(folder, 'reached'));

    const { store: other } = await storeWith('gone', `sleep 1; mkdir node_modules; touch '${folder}/reached'`);
    const last = new AbortController();
    const ended = assert.rejects(other.get('npm', [npmWish('x')], last.signal), {
      message: 'The install was cancelled',
    });
    await sleep(100);
    last.abort();
    await ended;
    await sleep(1_500);
    await assert.rejects(stat(join(folder, 'reached')));
    assert.deepEqual(await readdir(join(folder, 'gone')), []);
  });

  it('says which tool is missing', async () => {
    const { store } = await storeWith('none', '');
    await assert.rejects(store.get('pypi', [pypiWish('x')], never), {
      code: 'PACKAGES_FAILED',
      hint: /^Install uv, or pip/,
    });
  });

  it('shows a session the sum of its wishes, whole at every moment', async () => {
    const script = 'mkdir -p node_modules; cp package.json node_modules/asked.json';
    const { store, starts } = await storeWith('shelf', script);
    const shelf = { shown: join(folder, 'home', 'packages'), list: join(folder, 'list.json') };
    const asked = async () =>
      Object.keys(JSON.parse(await readFile(join(shelf.shown, 'node_modules', 'asked.json'), 'utf8')).dependencies);
    await Promise.all([
      fillShelf(store, shelf, [npmWish('x@1')], never),
      fillShelf(store, shelf, [npmWish('y')], never),
    ]);
    assert.deepEqual(await asked(), ['x', 'y']);
    await fillShelf(store, shelf, [npmWish('x')], never);
    assert.equal(await starts(), 2);
    assert.match(await readlink(join(shelf.shown, 'node_modules')), /^sets\/npm-[0-9a-f]{32}$/);
  });
});
