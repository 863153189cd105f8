import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { MessageReader } from './message-reader.ts';

type Event = readonly [kind: 'message' | 'rubbish' | 'too-long', what: unknown];

/** What a reader makes of the chunks. */
function read(chunks: readonly (string | Buffer)[], bytesMax = 10_000): Event[] {
  const events: Event[] = [];
  const reader = new MessageReader(
    {
      message: (value) => events.push(['message', value]),
      rubbish: (start) => events.push(['rubbish', start]),
      tooLong: (id) => events.push(['too-long', id]),
    },
    bytesMax,
  );
  for (const chunk of chunks) reader.add(Buffer.from(chunk));
  return events;
}

describe('MessageReader', () => {
  const long = 'x'.repeat(500);
  const cases: ReadonlyArray<readonly [what: string, chunks: readonly string[], events: readonly Event[]]> = [
    ['one message', ['{"a":1}\n'], [['message', { a: 1 }]]],
    ['nothing before its end', ['{"a":1}'], []],
    ['a message in pieces', ['{"a"', ':', '1}', '\n'], [['message', { a: 1 }]]],
    [
      'several in one piece',
      ['{"a":1}\n{"a":2}\r\n'],
      [
        ['message', { a: 1 }],
        ['message', { a: 2 }],
      ],
    ],
    [
      'a batch',
      ['[{"a":1},{"a":2}]\n'],
      [
        ['message', { a: 1 }],
        ['message', { a: 2 }],
      ],
    ],
    ['blank lines', ['\n \r\n\n{"a":1}\n'], [['message', { a: 1 }]]],
    [
      'rubbish',
      ['Server started\n{"a":1}\n'],
      [
        ['rubbish', 'Server started'],
        ['message', { a: 1 }],
      ],
    ],
    [
      'what only begins like a message',
      ['{on port 7}\n{"a":1}\n'],
      [
        ['rubbish', '{on port 7}'],
        ['message', { a: 1 }],
      ],
    ],
    [
      'endless rubbish by its beginning',
      [long, long, long, '\n{"a":1}\n'],
      [
        ['rubbish', `${long}${long.slice(0, 12)}`],
        ['message', { a: 1 }],
      ],
    ],
  ];
  for (const [what, chunks, events] of cases) {
    it(`reads ${what}`, () => assert.deepEqual(read(chunks), events));
  }

  const tooLong = (start: string, end: string) => [
    start,
    ...Array.from({ length: 100 }, () => long),
    end,
    '\n{"a":1}\n',
  ];
  const ids: ReadonlyArray<readonly [what: string, start: string, end: string, id: number | undefined]> = [
    ['in front', '{"jsonrpc":"2.0","id":12,"result":{"t":"', '"}}', 12],
    ['behind', '{"result":{"t":"', '"},"jsonrpc":"2.0","id":12}', 12],
    ['before the version', '{"result":{"t":"', '"},"id":12,"jsonrpc":"2.0"}', 12],
    ['only inside the answer', '{"result":{"id":12,"t":"', '"},"jsonrpc":"2.0"}', undefined],
    ['that is a text', '{"jsonrpc":"2.0","id":"12","result":{"t":"', '"}}', undefined],
  ];
  for (const [what, start, end, id] of ids) {
    it(`skips a message that is too long, with an id ${what}`, () => {
      assert.deepEqual(read(tooLong(start, end)), [
        ['too-long', id],
        ['message', { a: 1 }],
      ]);
    });
  }

  it('reads the same however the bytes are cut', () => {
    const line = fc.oneof(fc.json({ maxDepth: 2 }), fc.string({ unit: 'grapheme' }));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(40)), (lines, cuts) => {
        const whole = Buffer.from(lines.map((text) => `${text.replaceAll('\n', ' ')}\n`).join(''));
        const chunks: Buffer[] = [];
        let start = 0;
        for (const size of cuts) {
          chunks.push(whole.subarray(start, start + size));
          start += size;
        }
        assert.deepEqual(read([...chunks, whole.subarray(start)]), read([whole]));
      }),
    );
  });
});
