import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readArguments, readWord } from './arguments.ts';

const schema = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    'max-count': { type: 'integer' },
    state: { enum: ['open', 'closed'] },
    labels: { type: 'array', items: { type: 'string' } },
    where: { anyOf: [{ type: 'string' }, { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] }] },
  },
  required: ['title'],
  additionalProperties: false,
};

describe('readArguments()', () => {
  const right: ReadonlyArray<readonly [what: string, positional: unknown[], named: object, args: object]> = [
    ['names', [], { title: 'a', state: 'open' }, { title: 'a', state: 'open' }],
    ['the order of the signature', ['a', 3], {}, { title: 'a', 'max-count': 3 }],
    ['one object', [{ title: 'a' }], {}, { title: 'a' }],
    ['words for names that are none', [], { title: 'a', max_count: 2 }, { title: 'a', 'max-count': 2 }],
    ['nothing for what may be left out', [], { title: 'a', labels: null }, { title: 'a' }],
    ['either of two types', [], { title: 'a', where: { x: 1 } }, { title: 'a', where: { x: 1 } }],
  ];
  for (const [what, positional, named, args] of right) {
    it(`takes ${what}`, () => {
      assert.deepEqual(readArguments(schema, { positional, named: named as never }), {
        ok: true,
        args,
        timeout: undefined,
      });
    });
  }

  const wrong: ReadonlyArray<readonly [positional: unknown[], named: object, problem: string]> = [
    [[], {}, 'lacks "title"'],
    [[], { titel: 'a' }, 'has no argument "titel", and lacks "title"'],
    [[], { Title: 'a' }, 'has no argument "Title"; did you mean "title"?'],
    [[], { title: 1 }, '"title" must be string, not number'],
    [[], { title: 'a', state: 'shut' }, '"state" must be one of "open", "closed"'],
    [[], { title: 'a', labels: ['b', 2] }, '"labels[1]" must be string, not number'],
    [[], { title: 'a', where: 1 }, '"where" fits none of its types'],
    [['a', 1, 'open', [], 'x', 6], {}, 'takes 5 arguments, 6 were given'],
    [['a'], { title: 'b' }, 'got "title" twice'],
  ];
  for (const [positional, named, problem] of wrong) {
    it(`says: ${problem}`, () => {
      assert.deepEqual(readArguments(schema, { positional, named: named as never }), { ok: false, problem });
    });
  }

  it('knows a timeout from an argument of that name', () => {
    const plain = { type: 'object', properties: {} };
    const own = { type: 'object', properties: { timeout: { type: 'number' } } };
    assert.deepEqual(readArguments(plain, { positional: [], named: { timeout: 5 } }), {
      ok: true,
      args: {},
      timeout: 5,
    });
    const read = readArguments(own, { positional: [], named: { timeout: 5 } });
    assert.deepEqual(read, { ok: true, args: { timeout: 5 }, timeout: undefined });
  });

  it('gives an object to a tool whose first argument is one', () => {
    const takesObject = { type: 'object', properties: { data: { type: 'object' } }, required: ['data'] };
    const read = readArguments(takesObject, { positional: [{ a: 1 }], named: {} });
    assert.deepEqual(read, { ok: true, args: { data: { a: 1 } }, timeout: undefined });
  });
});

describe('readWord()', () => {
  const cases: ReadonlyArray<readonly [key: string, text: string, value: unknown]> = [
    ['title', '12', '12'],
    ['max-count', '12', 12],
    ['max_count', '12', 12],
    ['labels', '["a"]', ['a']],
    ['unknown', '12', '12'],
    ['max-count', 'x', 'x'],
  ];
  for (const [key, text, value] of cases) {
    it(`reads ${key}=${text}`, () => assert.deepEqual(readWord(schema, key, text), value));
  }
});
