import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decode } from '@toon-format/toon';
import fc from 'fast-check';
import { shorterAsToon } from './toon.ts';

const cases: ReadonlyArray<readonly [name: string, text: string, shown: string]> = [
  ['rows', '[{"a":1,"b":"x"},{"a":2,"b":"y"}]', '[2]{a,b}:\n  1,x\n  2,y'],
  ['indented JSON with its last line end', '{\n  "a": [\n    1,\n    2\n  ]\n}\n', 'a[2]: 1,2\n'],
  ['numbers written in another way', '[{"a":1.50,"b":2e3},{"a":0.10,"b":-3}]', '[2]{a,b}:\n  1.5,2000\n  0.1,-3'],
  ['text', 'hello [1]', 'hello [1]'],
  ['text that begins like JSON', '[INFO] started', '[INFO] started'],
  ['two JSON texts', '{"a":1}\n{"a":2}\n', '{"a":1}\n{"a":2}\n'],
  ['a number', '42\n', '42\n'],
  ['what would not be shorter', '{}', '{}'],
  [
    'a number that JavaScript cannot hold',
    '[{"id":12345678901234567890},{"id":1}]',
    '[{"id":12345678901234567890},{"id":1}]',
  ],
  ['a fraction that it cannot hold', '{"pi":3.14159265358979323846}', '{"pi":3.14159265358979323846}'],
  ['nothing', '', ''],
];

describe('shorterAsToon()', () => {
  for (const [name, text, shown] of cases) {
    it(`answers ${name}`, () => assert.equal(shorterAsToon(text), shown));
  }

  it('says the same as the JSON, in fewer bytes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const json = JSON.stringify(value);
        const shown = shorterAsToon(json);
        if (shown === json) return;
        assert.deepEqual(decode(shown), JSON.parse(json));
        assert.ok(Buffer.byteLength(shown) < Buffer.byteLength(json));
      }),
    );
  });
});
