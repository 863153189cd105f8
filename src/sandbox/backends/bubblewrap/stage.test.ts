import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { WallEntry } from './arguments.ts';
import { Stage } from './stage.ts';

describe('Stage', () => {
  let directory: string;
  let homes: string;
  let stage: Stage;

  beforeEach(async () => {
    directory = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-stage-test-')));
    homes = join(directory, 'state/sessions');
    mkdirSync(join(homes, 'a/workspace'), { recursive: true, mode: 0o700 });
    mkdirSync(join(directory, 'open/inside'), { recursive: true });
    writeFileSync(join(directory, 'a file'), '');
    stage = await Stage.open('1-1', homes);
  });
  afterEach(async () => {
    await stage.close();
    rmSync(directory, { recursive: true });
  });

  function bind(path: string, userFolder?: string): WallEntry {
    return {
      kind: 'bind',
      source: path,
      target: '/x',
      mode: 'ro',
      ...(userFolder === undefined ? {} : { userFolder }),
    };
  }

  it('needs nothing for what everybody can reach', () => {
    assert.deepEqual(stage.needs([bind('/usr/bin'), { kind: 'symlink', target: 'a', path: '/b' }], true), []);
    assert.deepEqual(stage.files([]), { fstab: undefined, owned: undefined });
  });

  it('shows hidden folders and files by themselves, and all homes at once', () => {
    const entries = [bind(join(homes, 'a/workspace')), bind(join(directory, 'a file')), bind(join(homes, 'a'))];
    const needs = stage.needs(entries, true);
    assert.deepEqual(needs, [
      { source: join(directory, 'a file'), isOwned: false },
      { source: homes, isOwned: false },
    ]);
    const { fstab, owned } = stage.files(needs);
    assert.equal(owned, undefined);
    const root = dirname(fstab!);
    assert.equal(
      readFileSync(fstab!, 'utf8'),
      `${directory}/a\\040file ${root}/file-0 none rbind 0 0\n${homes} ${root}/folder-1 none rbind 0 0\n`,
    );
    assert.deepEqual(
      [statSync(join(root, 'file-0')).isFile(), statSync(join(root, 'folder-1')).isDirectory()],
      [true, true],
    );

    const shown = stage.shownEntries(entries, needs).map((entry) => entry.kind === 'bind' && entry.source);
    assert.deepEqual(shown, [join(root, 'folder-1/a/workspace'), join(root, 'file-0'), join(root, 'folder-1/a')]);
    assert.equal(statSync(join(homes, 'a')).mode & 0o777, 0o711, 'a home lets others pass');
    assert.equal(statSync(join(homes, 'a/workspace')).mode & 0o777, 0o700, 'and nothing more');
    assert.equal(statSync(join(directory, 'state')).mode & 0o001, 0);
  });

  it('shows a home by itself where others could reach all of them', () => {
    for (const folder of [directory, join(directory, 'state')]) chmodSync(folder, 0o755);
    const workspace = join(homes, 'a/workspace');
    assert.deepEqual(stage.needs([bind(workspace)], true), [{ source: workspace, isOwned: false }]);
  });

  it("shows a user's folder as the program's own, with what is in it", () => {
    const folder = join(directory, 'open');
    const entries = [bind(folder, folder), bind(join(folder, 'inside'), folder)];
    const needs = stage.needs(entries, true);
    assert.deepEqual(needs, [{ source: folder, isOwned: true }]);
    const { fstab, owned } = stage.files(needs);
    const root = dirname(owned!);
    assert.equal(fstab, undefined);
    assert.equal(readFileSync(owned!, 'utf8'), `${folder}\0${root}/folder-0\0`);
    const shown = stage.shownEntries(entries, needs).map((entry) => entry.kind === 'bind' && entry.source);
    assert.deepEqual(shown, [join(root, 'folder-0'), join(root, 'folder-0/inside')]);
  });

  it('leaves nothing behind, and never removes what it did not make', async () => {
    const needs = stage.needs([bind(homes)], true);
    const root = dirname(stage.files(needs).fstab!);
    writeFileSync(join(root, 'folder-0/precious'), 'data');
    await stage.close();
    assert.equal(readFileSync(join(root, 'folder-0/precious'), 'utf8'), 'data');
    rmSync(join(root, 'folder-0/precious'));
    await stage.close();
    assert.equal(existsSync(root), false);
  });
});
