import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEFAULT_LIMITS } from '#contracts/limits';
import { parseRunInput } from './input.ts';

const own = { kind: 'own', key: 'default' } as const;
const parse = (input: unknown) => parseRunInput(input, own, DEFAULT_LIMITS);

describe('parseRunInput()', () => {
  it('takes code alone', () => {
    assert.deepEqual(parse({ code: 'x' }), {
      code: 'x',
      language: undefined,
      fileName: undefined,
      session: own,
      timeoutMs: undefined,
      args: [],
      stdin: undefined,
      files: [],
    });
  });

  it('takes all fields, and null for what is left out', () => {
    const files = { '/workspace/a.txt': 'text', './b/c.bin': 'data:;base64,AAE=' };
    assert.deepEqual(
      parse({ code: 'x', language: 'py', session: 'work-1', timeout: 1.5, args: ['-a'], stdin: '', files }),
      {
        code: 'x',
        language: 'py',
        fileName: undefined,
        session: { kind: 'named', name: 'work-1' },
        timeoutMs: 1500,
        args: ['-a'],
        stdin: '',
        files: [
          { path: 'a.txt', bytes: Buffer.from('text') },
          { path: 'b/c.bin', bytes: Buffer.from([0, 1]) },
        ],
      },
    );
    assert.equal(
      parse({ code: 'x', language: null, session: null, timeout: null, args: null, stdin: null, files: null }).session,
      own,
    );
  });

  it('knows the own session by its name', () => {
    assert.equal(parse({ code: 'x', session: 'default' }).session, own);
  });

  it('lets 0 seconds go with empty code only', () => {
    assert.equal(parse({ code: '', timeout: 0 }).timeoutMs, 0);
    assert.throws(() => parse({ code: 'x', timeout: 0 }), { code: 'INVALID_INPUT' });
  });

  const refused: ReadonlyArray<readonly [what: string, input: unknown, message: RegExp]> = [
    ['nothing', undefined, /^"code" is missing or is not a string$/],
    ['no code', { language: 'python' }, /^"code" is missing/],
    ['code that is a number', { code: 5 }, /^"code" is missing or is not a string$/],
    ['an unknown field', { code: 'x', sesion: 'a' }, /^Unknown field "sesion"$/],
    ['a timeout in words', { code: 'x', timeout: '5' }, /^"timeout" is wrong/],
    [
      'a negative timeout',
      { code: 'x', timeout: -1 },
      /^"timeout" must be above 0 and at most 600 seconds, and not -1$/,
    ],
    ['a huge timeout', { code: 'x', timeout: 1e9 }, /^"timeout" must be above 0 and at most 600 seconds/],
    ['a timeout that is no number', { code: 'x', timeout: Number.NaN }, /^"timeout"/],
    ['args that are no list', { code: 'x', args: 'a b' }, /^"args" is wrong/],
    ['args with a number', { code: 'x', args: ['a', 1] }, /^"args.1" is wrong/],
    ['code with NUL', { code: 'a\0b' }, /^"code" must not contain NUL/],
    ['args with NUL', { code: 'x', args: ['a\0b'] }, /^"args" must not contain NUL/],
    ['code of 10 MB', { code: 'x'.repeat(10_000_000) }, /^"code" has 10000000 bytes; at most 1048576 are allowed$/],
    ['a session with a slash', { code: 'x', session: '../a' }, /^"session" must be 1 to 64 letters/],
    ['a session that begins with a dot', { code: 'x', session: '.own' }, /^"session" must be/],
    ['a session of 65 letters', { code: 'x', session: 'a'.repeat(65) }, /^"session" must be/],
    [
      'an absolute path',
      { code: 'x', files: { '/etc/passwd': '' } },
      /^"files" has the path "\/etc\/passwd", which does not stay inside \/workspace$/,
    ],
    ['a path with ..', { code: 'x', files: { 'a/../../b': '' } }, /does not stay inside/],
    ['an empty path', { code: 'x', files: { '': '' } }, /does not stay inside/],
    ['a path that ends with a slash', { code: 'x', files: { 'a/': '' } }, /does not stay inside/],
    ['a path with NUL', { code: 'x', files: { 'a\0': '' } }, /does not stay inside/],
    ['a file that is a number', { code: 'x', files: { a: 1 } }, /^"files.a" is wrong/],
    ['bad base64', { code: 'x', files: { a: 'data:;base64,%%%' } }, /is not base64$/],
    [
      'too many files',
      { code: 'x', files: Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`f${i}`, ''])) },
      /^"files" has 300 entries/,
    ],
  ];
  for (const [what, input, message] of refused) {
    it(`refuses ${what}, and says what to send instead`, () => {
      assert.throws(
        () => parse(input),
        (error: { code: string; message: string; hint?: string }) => {
          assert.equal(error.code, 'INVALID_INPUT');
          assert.match(error.message, message);
          assert.ok(error.hint);
          return true;
        },
      );
    });
  }
});
