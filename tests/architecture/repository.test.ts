import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { ROOT } from './rooms.ts';

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface LockFile {
  readonly packages: Readonly<Record<string, Manifest & { readonly resolved?: string; readonly integrity?: string }>>;
}

const FOLDERS = ['.', 'scripts/setup/toolchain'];

async function readJson<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(join(ROOT, path), 'utf8')) as T;
}

describe('lock files', () => {
  for (const folder of FOLDERS) {
    it(`${folder}/package-lock.json names no address and pins every package by its hash`, async () => {
      const { packages } = await readJson<LockFile>(`${folder}/package-lock.json`);
      const { '': _root, ...installed } = packages;
      const addressed = Object.entries(installed).filter(([, entry]) => entry.resolved !== undefined);
      const unpinned = Object.entries(installed).filter(([, entry]) => entry.integrity === undefined);
      assert.deepEqual([addressed, unpinned], [[], []]);
    });

    it(`${folder}/package-lock.json is made from ${folder}/package.json, which pins exact versions`, async () => {
      const lock = (await readJson<LockFile>(`${folder}/package-lock.json`)).packages[''];
      const manifest = await readJson<Manifest>(`${folder}/package.json`);
      for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies'] as const) {
        assert.deepEqual(lock?.[kind], manifest[kind]);
        const loose = Object.entries(manifest[kind] ?? {}).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version));
        assert.deepEqual(loose, []);
      }
    });
  }
});

describe('tracked files', { skip: existsSync(join(ROOT, '.git')) ? false : 'not a git checkout' }, () => {
  it('hold no path of the machine they were written on', async () => {
    const { stdout } = await promisify(execFile)('git', ['ls-files', '-z'], { cwd: ROOT });
    const strange: string[] = [];
    for (const path of stdout.split('\0').filter((name) => name !== '' && existsSync(join(ROOT, name)))) {
      if ((await stat(join(ROOT, path))).isDirectory()) continue;
      const text = await readFile(join(ROOT, path), 'latin1');
      if (machinePaths().some((place) => text.includes(place))) strange.push(path);
    }
    assert.deepEqual(strange, []);
  });
});

/** `/root` and the like are fair targets of attack tests; a home with a person's name in it is not. */
function machinePaths(): string[] {
  const home = homedir();
  return [`${ROOT}/`, ...(home.split('/').length > 2 ? [`${home}/`] : [])];
}
