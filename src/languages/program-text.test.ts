import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ProgramText, readProgramText } from './program-text.ts';

const cases: ReadonlyArray<readonly [what: string, sent: string, expected: ProgramText]> = [
  ['plain code as it is', 'print(1)', { code: 'print(1)', fenceTag: undefined }],
  ['a fence away, keeping line numbers', '```python\nprint(1)\n```', { code: '\nprint(1)\n', fenceTag: 'python' }],
  ['a fence with blank lines around', '\n\n```JS\nx\n```\n\n', { code: '\n\n\nx\n', fenceTag: 'js' }],
  ['a fence without an end', '```\nls', { code: '\nls\n', fenceTag: undefined }],
  ['tildes, and backticks inside them', '~~~sh\necho "```"\n~~~', { code: '\necho "```"\n', fenceTag: 'sh' }],
  ['a fence with attributes', '```ts title="a.ts"\nlet x = 1\n```', { code: '\nlet x = 1\n', fenceTag: 'ts' }],
  ['Windows line ends and a byte-order mark', '\uFEFFa\r\nb\r\n', { code: 'a\nb\n', fenceTag: undefined }],
  ['fences inside a string', 'x = """\n```\n"""', { code: 'x = """\n```\n"""', fenceTag: undefined }],
  ['a template literal in JavaScript', '`a`', { code: '`a`', fenceTag: undefined }],
];

describe('readProgramText()', () => {
  for (const [what, sent, expected] of cases) {
    it(`takes ${what}`, () => assert.deepEqual(readProgramText(sent), expected));
  }
});
