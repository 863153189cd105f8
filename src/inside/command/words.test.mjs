import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fillWords, safePath } from './words.mjs';

describe('fillWords()', () => {
  const names = {
    lists: { '{args}': ['$(id)', '-v', '', '{out}'], '{sources}': ['a.c'] },
    names: { out: '/tmp/o', tool: 'gcc' },
  };

  it('puts in lists as words, names inside words, and leaves all else', () => {
    assert.deepEqual(fillWords(['{tool}', '-o{out}/p', '{sources}', '{other}', 'x'], names), [
      'gcc',
      '-o/tmp/o/p',
      'a.c',
      '{other}',
      'x',
    ]);
  });

  it('does not look into what it puts in', () => {
    assert.deepEqual(fillWords(['{args}'], names), ['$(id)', '-v', '', '{out}']);
  });
});

describe('safePath()', () => {
  const cases = [
    ['main.c', 'main.c'],
    ['src/a.c', 'src/a.c'],
    ['-o', './-o'],
    ['@x', './@x'],
    ['+plus', './+plus'],
  ];
  for (const [path, expected] of cases) it(`calls ${path} ${expected}`, () => assert.equal(safePath(path), expected));
});
