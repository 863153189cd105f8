import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { npmWish, pypiWish, unite, wishText } from './wish.ts';

describe('pypiWish()', () => {
  const good: ReadonlyArray<readonly [text: string, expected: string]> = [
    ['six', 'six'],
    [' Requests >= 2.31, < 3 ', 'requests>=2.31,<3'],
    ['python_dateutil==2.*', 'python-dateutil==2.*'],
    ['uvicorn[standard]~=0.30', 'uvicorn[standard]~=0.30'],
    ['tomli; python_version < "3.11"', 'tomli; python_version < "3.11"'],
    ['name (>=1.0)', 'name>=1.0'],
  ];
  for (const [text, expected] of good) {
    it(`takes ${JSON.stringify(text)}`, () => assert.equal(wishText(pypiWish(text)), expected));
  }

  const bad = [
    '',
    '-r /etc/passwd',
    '--index-url=http://evil.example',
    '-e .',
    'name @ https://evil.example/x.whl',
    'https://evil.example/x.whl',
    'git+https://evil.example/x',
    '../local',
    './x.whl',
    '/etc/passwd',
    'file:///etc/passwd',
    'name --hash=sha256:00',
    'name\n--index-url http://evil.example',
    'name; rm -rf /',
    'name; $(id)',
    'näme',
    `${'a'.repeat(200)}`,
    '.name',
    'name==',
  ];
  for (const text of bad) {
    it(`refuses ${JSON.stringify(text.slice(0, 40))}`, () => {
      assert.throws(() => pypiWish(text), { code: 'INVALID_INPUT' });
    });
  }
});

describe('npmWish()', () => {
  const good: ReadonlyArray<readonly [text: string, expected: string]> = [
    ['lodash', 'lodash'],
    ['lodash@^4.17', 'lodash@^4.17'],
    ['@scope/name', '@scope/name'],
    ['@scope/name@1.2.3', '@scope/name@1.2.3'],
    ['x@>=1 <2', 'x@>=1 <2'],
    ['x@latest', 'x@latest'],
  ];
  for (const [text, expected] of good) {
    it(`takes ${JSON.stringify(text)}`, () => assert.equal(wishText(npmWish(text)), expected));
  }

  const bad = ['', '..', '.', '../x', '@a/..', '/etc', 'x@file:../y', 'x@git+ssh://h/y', 'x@https://h/y.tgz', 'a b'];
  for (const text of [...bad, 'x@npm:y', 'x@github:a/b', 'x@a/b', '@/x', 'x\n', 'x@1\ny', '@scope', 'a'.repeat(300)]) {
    it(`refuses ${JSON.stringify(text.slice(0, 40))}`, () => {
      assert.throws(() => npmWish(text), { code: 'INVALID_INPUT' });
    });
  }
});

describe('unite()', () => {
  it('lets the later version win, unless any will do', () => {
    const earlier = [pypiWish('a==1'), pypiWish('b==1')];
    const united = unite(earlier, [pypiWish('A==2'), pypiWish('b'), npmWish('a')]);
    assert.deepEqual(united.map(wishText), ['a', 'a==2', 'b==1']);
  });

  it('has a bound', () => {
    const many = Array.from({ length: 51 }, (_, index) => pypiWish(`p${index}`));
    assert.throws(() => unite([], many), {
      code: 'INVALID_INPUT',
      message: '51 packages are asked for, and at most 50 may be',
    });
  });
});
