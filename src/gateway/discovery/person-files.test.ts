import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { InputAnswers } from './input-answers.ts';
import { TrustedProjects } from './trusted-projects.ts';

let folder = '';
before(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'sallyport-person-')));
});
after(() => rm(folder, { recursive: true, force: true }));

describe('trusted projects', () => {
  it('are remembered by their real path, for themselves alone, until a person changes their mind', async () => {
    const project = join(folder, 'project');
    await mkdir(join(project, 'below'), { recursive: true });
    await symlink(project, join(folder, 'link'));
    const trusted = new TrustedProjects(join(folder, 'state'));
    assert.equal(await trusted.has(project), false);
    assert.equal(await trusted.add(join(folder, 'link')), project);
    await trusted.add(project);
    assert.deepEqual(await new TrustedProjects(join(folder, 'state')).list(), [project]);
    const isTrusted = (path: string) => trusted.has(join(folder, path));
    assert.deepEqual(await Promise.all(['project', 'link', 'project/below', '.', 'nowhere'].map(isTrusted)), [
      true,
      true,
      false,
      false,
      false,
    ]);
    assert.equal((await stat(trusted.file)).mode & 0o777, 0o600);
    assert.deepEqual([await trusted.remove(project), await trusted.remove(project)], [true, false]);
    assert.equal(await trusted.has(project), false);
  });

  it('cannot be folders that are not there', async () => {
    await assert.rejects(new TrustedProjects(folder).add(join(folder, 'nowhere')), { code: 'INVALID_INPUT' });
  });
});

describe('answers to inputs', () => {
  it('belong to one file, and to one user', async () => {
    const answers = new InputAnswers(join(folder, 'state'));
    assert.equal(answers.get('key', '/a/mcp.json'), undefined);
    await answers.set('key', '/a/mcp.json', 'one');
    await answers.set('other', '/a/mcp.json', 'two');
    await answers.set('key', '/b/mcp.json', 'three');
    const again = new InputAnswers(join(folder, 'state'));
    const all = [
      ['key', '/a/mcp.json'],
      ['other', '/a/mcp.json'],
      ['key', '/b/mcp.json'],
      ['other', '/b/mcp.json'],
    ] as const;
    assert.deepEqual(
      all.map(([id, file]) => again.get(id, file)),
      ['one', 'two', 'three', undefined],
    );
    assert.equal((await stat(answers.file)).mode & 0o777, 0o600);
  });
});
