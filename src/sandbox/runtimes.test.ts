import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLogger } from '#observability/logger';
import { mountedPrefixes } from './runtime-prefixes.ts';
import { createRuntimeFinder, type RuntimeOptions } from './runtimes.ts';

describe('createRuntimeFinder()', () => {
  let directory: string;
  let count = 0;
  const system = '/usr/bin:/bin';

  before(() => {
    directory = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-runtimes-')));
  });
  after(() => rmSync(directory, { recursive: true }));

  function options(given: Partial<RuntimeOptions>): RuntimeOptions {
    return {
      node: process.execPath,
      path: system,
      home: join(directory, 'home'),
      overrides: {},
      tools: [],
      cacheDir: join(directory, `cache-${++count}`),
      logger: silentLogger,
      ...given,
    };
  }

  function script(name: string, text: string): string {
    const folder = join(directory, `bin-${++count}`);
    mkdirSync(folder);
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), 0o755);
    return folder;
  }

  it("runs JavaScript on Sallyport's own Node", async () => {
    assert.deepEqual(await createRuntimeFinder(options({})).find('javascript'), {
      found: true,
      runtime: { binary: process.execPath, version: `Node.js ${process.versions.node}`, prefixes: [] },
    });
  });

  it('finds the Bash and the Python of the system, which need no mount', async () => {
    const finder = createRuntimeFinder(options({}));
    const bash = await finder.find('bash');
    const python = await finder.find('python');
    assert.ok(bash.found && python.found);
    assert.match(bash.runtime.version, /^Bash \d+\.\d+\.\d+$/);
    assert.match(python.runtime.version, /^Python 3\.\d+\.\d+$/);
    assert.deepEqual([bash.runtime.prefixes, python.runtime.prefixes], [[], []]);
  });

  it('asks through a shim where the Python behind it lives', async () => {
    const shims = script('python3', '#!/bin/sh\nexec /usr/bin/python3 "$@"\n');
    const answer = await createRuntimeFinder(options({ path: `${shims}:${system}` })).find('python');
    assert.ok(answer.found);
    assert.match(answer.runtime.binary, /^\/usr\/bin\/python3/);
  });

  it('mounts a virtual environment by its own folder', async () => {
    const venv = join(directory, 'my venv');
    execFileSync('/usr/bin/python3', ['-m', 'venv', '--without-pip', venv]);
    const answer = await createRuntimeFinder(options({ overrides: { python: venv } })).find('python');
    assert.ok(answer.found);
    assert.equal(answer.runtime.binary, join(venv, 'bin/python'));
    assert.deepEqual(answer.runtime.prefixes, [{ source: venv, target: venv }]);
  });

  it('takes the next Python when the first does not work, and says why when none does', async () => {
    const broken = script('python3', '#!/bin/sh\necho "it is broken" >&2\nexit 1\n');
    const works = await createRuntimeFinder(options({ path: `${broken}:${system}` })).find('python');
    assert.equal(works.found, true);
    const fails = await createRuntimeFinder(options({ overrides: { python: join(broken, 'python3') } })).find('python');
    assert.deepEqual(fails, {
      found: false,
      reason: `${join(broken, 'python3')} does not work: it is broken`,
      install: 'Install Python 3.8 or later (apt install python3, dnf install python3, …) or name one in "runtimes"',
    });
  });

  it('refuses a Python that is installed straight into the home', async () => {
    const home = join(directory, 'full home');
    mkdirSync(join(home, 'bin'), { recursive: true });
    const answer = JSON.stringify({ binary: join(home, 'bin/python3'), prefixes: [home], version: [3, 12, 0] });
    const python = join(script('python3', `#!/bin/sh\ncat <<'END'\n${answer}\nEND\n`), 'python3');
    const found = await createRuntimeFinder(options({ home, overrides: { python } })).find('python');
    assert.deepEqual(
      found.found ? 'found' : found.reason,
      `${home}/bin/python3 is installed straight into ${home}, which is never shown to programs`,
    );
  });

  it('remembers an answer until the file changes', async () => {
    const log = join(directory, 'log');
    const shim = '#!/bin/sh\necho asked >>"$LOG"\nexec /usr/bin/python3 "$@"\n'.replace('$LOG', log);
    const folder = script('python3', shim);
    const given = options({ path: folder });
    const asked = () => execFileSync('/usr/bin/wc', ['-l', log]).toString().split(' ')[0];

    await createRuntimeFinder(given).find('python');
    // Kept in the background.
    while (!existsSync(join(given.cacheDir, 'runtime-python.json'))) await sleep(5);
    await createRuntimeFinder(given).find('python');
    assert.equal(asked(), '1');
    writeFileSync(join(folder, 'python3'), `${shim}\n`);
    await createRuntimeFinder(given).find('python');
    assert.equal(asked(), '2');
  });

  it('mountedPrefixes() shows a linked prefix by both of its names', () => {
    const real = join(directory, 'versions/3.12.5');
    mkdirSync(join(real, 'bin'), { recursive: true });
    writeFileSync(join(real, 'bin/python3'), '');
    symlinkSync('3.12.5', join(directory, 'versions/3.12'));
    const linked = join(directory, 'versions/3.12');
    assert.deepEqual(mountedPrefixes(join(linked, 'bin/python3'), [linked]), [
      { source: real, target: linked },
      { source: real, target: real },
    ]);
  });

  it('mountedPrefixes() leaves out what every sandbox has', () => {
    assert.deepEqual(mountedPrefixes('/usr/bin/python3', ['/usr', '/usr/local']), []);
  });
});
