import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { redact } from './redact.ts';

describe('redact()', () => {
  const secrets = [
    { name: 'TOKEN', value: 'abc/def+ghi' },
    { name: 'LONGER', value: 'abc/def+ghi+jkl' },
    { name: 'PIN', value: '1234' },
  ];
  const cases: ReadonlyArray<readonly [what: string, text: string, clean: string]> = [
    ['plain', 'refused abc/def+ghi!', 'refused [TOKEN]!'],
    ['within another', 'abc/def+ghi+jkl', '[LONGER]'],
    ['in an address', 'GET /?key=abc%2Fdef%2Bghi', 'GET /?key=[TOKEN]'],
    ['in base64', Buffer.from('abc/def+ghi').toString('base64'), '[TOKEN]'],
    ['not the short ones, which are everywhere', 'line 1234', 'line 1234'],
  ];
  for (const [what, text, clean] of cases) it(`masks ${what}`, () => assert.equal(redact(text, secrets), clean));
});
