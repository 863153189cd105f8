import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileName, formatBytes, formatSeconds, oneLine } from './text.ts';

const tables: ReadonlyArray<
  readonly [
    name: string,
    format: (value: never) => string,
    rows: ReadonlyArray<readonly [value: unknown, text: string]>,
  ]
> = [
  [
    'formatBytes()',
    formatBytes,
    [
      [0, '0 B'],
      [999, '999 B'],
      [1_000, '1.0 kB'],
      [9_949, '9.9 kB'],
      [9_950, '10 kB'],
      [34_120, '34 kB'],
      [999_499, '999 kB'],
      [999_500, '1.0 MB'],
      [1_234_567, '1.2 MB'],
      [5_000_000_000, '5.0 GB'],
      [7e15, '7000 TB'],
    ],
  ],
  [
    'formatSeconds()',
    formatSeconds,
    [
      [30_000, '30 s'],
      [250, '0.25 s'],
      [1_500, '1.5 s'],
      [600_000, '600 s'],
      [45_004, '45 s'],
    ],
  ],
  [
    'fileName()',
    fileName,
    [
      ['a/b c.txt', 'a/b c.txt'],
      ['a, b', '"a, b"'],
      ['a\nb', '"a\\nb"'],
      [' a', '" a"'],
      ['grüße 🙂', 'grüße 🙂'],
    ],
  ],
  [
    'oneLine()',
    oneLine,
    [
      ['plain', 'plain'],
      ['a\r\n\tb\u0000', 'a b'],
    ],
  ],
];

for (const [name, format, rows] of tables) {
  describe(name, () => {
    for (const [value, text] of rows) {
      it(`writes ${JSON.stringify(value)} as ${text}`, () => assert.equal(format(value as never), text));
    }
  });
}
