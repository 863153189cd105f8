import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { MarkerScanner } from './marker-scanner.ts';

const NONCE = '\u0002nonce-end';

/** What a scanner makes of the text when it comes in pieces of `size` bytes. */
function scan(text: string, size: number): { output: string; value: string | undefined; rest: string | undefined } {
  let output = '';
  let value: string | undefined;
  let rest: string | undefined;
  const scanner = new MarkerScanner(NONCE, {
    data(bytes) {
      if (value === undefined) output += bytes.toString('latin1');
      else value += bytes.toString('latin1');
    },
    value() {
      value = '';
    },
    end(bytes) {
      rest = bytes.toString('latin1');
    },
  });
  const bytes = Buffer.from(text, 'latin1');
  for (let at = 0; at < bytes.length; at += size) {
    const chunk = bytes.subarray(at, at + size);
    if (rest === undefined) scanner.push(chunk);
    else rest += chunk.toString('latin1');
  }
  scanner.flush();
  return { output, value, rest };
}

const cases: ReadonlyArray<readonly [what: string, text: string, expected: ReturnType<typeof scan>]> = [
  ['output up to the end', `abc${NONCE}E`, { output: 'abc', value: undefined, rest: '' }],
  ['a value', `abc\n${NONCE}V42${NONCE}E`, { output: 'abc\n', value: '42', rest: '' }],
  ['nothing at all', `${NONCE}E`, { output: '', value: undefined, rest: '' }],
  ['what comes behind the end', `a${NONCE}Elate`, { output: 'a', value: undefined, rest: 'late' }],
  [
    'beginnings of a nonce that are none',
    `\u0002\u0002nonce-en${NONCE}E`,
    { output: '\u0002\u0002nonce-en', value: undefined, rest: '' },
  ],
  ['a stream without an end', 'abc\u0002nonce-', { output: 'abc\u0002nonce-', value: undefined, rest: undefined }],
];

describe('MarkerScanner', () => {
  for (const [what, text, expected] of cases) {
    it(`finds ${what}, however the bytes are cut`, () => {
      for (let size = 1; size <= text.length + 1; size++) assert.deepEqual(scan(text, size), expected);
    });
  }

  it('loses no byte of any output', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('\u0002', 'nonce-', '\u0002nonce-', 'x', '\n')),
        fc.integer({ min: 1, max: 9 }),
        (parts, size) => {
          const output = parts.join('');
          assert.deepEqual(scan(`${output}${NONCE}E`, size), { output, value: undefined, rest: '' });
        },
      ),
    );
  });
});
