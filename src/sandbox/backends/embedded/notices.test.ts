import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseNotice } from './notices.ts';

const cases: ReadonlyArray<readonly [payload: string, notice: unknown]> = [
  ['{"up":true}', { kind: 'up' }],
  ['{"gone":"bash","exit":3}', { kind: 'gone', interpreter: 'bash', exitCode: 3 }],
  ['{"gone":"bash","exit":-1}', { kind: 'gone', interpreter: 'bash', exitCode: 255 }],
  ['{"memory":1048576}', { kind: 'memory', bytes: 1048576 }],
  ['{"gone":"ruby","exit":3}', undefined],
  ['{"gone":"bash","exit":"3"}', undefined],
  ['{"memory":"much"}', undefined],
  ['null', undefined],
  ['{', undefined],
];

describe('parseNotice()', () => {
  for (const [payload, notice] of cases) {
    it(`reads ${payload}`, () => assert.deepEqual(parseNotice(Buffer.from(payload)), notice));
  }
});
