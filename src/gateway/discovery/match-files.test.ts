import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { matchFiles, nameTest, patternOf } from './match-files.ts';

describe('nameTest()', () => {
  const cases: ReadonlyArray<readonly [step: string, fits: readonly string[], others: readonly string[]]> = [
    ['mcp.json', ['mcp.json'], ['mcp.jsonc', 'xmcp.json']],
    ['*.json', ['a.json', 'a.b.json'], ['.json', '.a.json', 'a.jsonc']],
    ['*.{json,yaml}', ['a.json', 'a.yaml'], ['a.yml', 'a.{json,yaml}']],
    ['*', ['a', 'a.b'], ['.a']],
    ['a*a', ['aa', 'aba'], ['a']],
  ];
  for (const [step, fits, others] of cases) {
    it(`of ${step}`, () => assert.deepEqual([...fits, ...others].filter(nameTest(step)), fits));
  }
});

describe('patternOf()', () => {
  it('ends the base before the first step with a *', () => {
    assert.deepEqual(patternOf('/a/b/mcp.json'), { base: '/a/b/mcp.json', steps: [] });
    assert.deepEqual(patternOf('/a/b/*/mcp.json'), { base: '/a/b', steps: ['*', 'mcp.json'] });
    assert.deepEqual(patternOf('C:\\a\\x*.json'), { base: 'C:\\a', steps: ['x*.json'] });
  });
});

describe('matchFiles()', () => {
  let root = '';
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'sallyport-match-'));
    for (const folder of ['b', 'a', '.c']) {
      await mkdir(join(root, folder));
      await writeFile(join(root, folder, 'x.json'), '');
    }
  });
  after(() => rm(root, { recursive: true }));

  it('goes through folders in order of their names', async () => {
    const found = await matchFiles({ base: root, steps: ['*', '*.json'] });
    assert.deepEqual(
      found,
      ['a', 'b'].map((folder) => join(root, folder, 'x.json')),
    );
  });

  it('names a file without * whether it exists or not', async () => {
    const found = await matchFiles({ base: root, steps: ['*', 'none.json'] });
    assert.deepEqual(
      found,
      ['a', 'b'].map((folder) => join(root, folder, 'none.json')),
    );
    assert.deepEqual(await matchFiles({ base: join(root, 'none'), steps: ['*.json'] }), []);
  });
});
