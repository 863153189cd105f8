import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeInput, MARK_BYTES, WireError, WireScanner } from './wire.ts';

const MARK = Buffer.from('abababababababac');

function record(channel: number, payload: string): Buffer {
  const header = Buffer.alloc(3);
  header.writeUInt8(channel, 0);
  header.writeUInt16LE(payload.length, 1);
  return Buffer.concat([MARK, header, Buffer.from(payload)]);
}

/** What the scanner makes of a stream that arrives in pieces of a size. */
function scan(stream: Buffer, size: number): { printed: string; records: Array<[number, string]> } {
  const seen = { printed: '', records: [] as Array<[number, string]> };
  const scanner = new WireScanner(MARK, {
    output: (bytes) => {
      seen.printed += bytes.toString('latin1');
    },
    record: (channel, payload) => seen.records.push([channel, payload.toString('latin1')]),
  });
  for (let at = 0; at < stream.length; at += size) scanner.push(stream.subarray(at, at + size));
  scanner.flush();
  return seen;
}

describe('WireScanner', () => {
  const stream = Buffer.concat([
    Buffer.from('first '),
    record(1, 'ready 0\n'),
    record(0, ''),
    Buffer.from('abab almost a mark abababababababab'),
    record(3, MARK.toString('latin1')),
    Buffer.from(' last aba'),
  ]);

  for (const size of [1, 2, 3, 7, 16, 19, 1000]) {
    it(`takes records out of pieces of ${size} bytes and leaves the rest as it was`, () => {
      assert.deepEqual(scan(stream, size), {
        printed: 'first abab almost a mark abababababababab last aba',
        records: [
          [1, 'ready 0\n'],
          [0, ''],
          [3, MARK.toString('latin1')],
        ],
      });
    });
  }

  it('holds back no more than what may be the beginning of a mark', () => {
    const printed: string[] = [];
    const scanner = new WireScanner(MARK, { output: (bytes) => printed.push(bytes.toString()), record: assert.fail });
    scanner.push(Buffer.from('no newline, seen at once'));
    scanner.push(Buffer.from('xa'));
    scanner.push(Buffer.from('z'));
    assert.deepEqual(printed, ['no newline, seen at once', 'x', 'az']);
  });

  for (const [name, header] of [
    ['an unknown channel', Buffer.of(4, 1, 0)],
    ['a length that no record has', Buffer.of(1, 0xff, 0xff)],
  ] as const) {
    it(`refuses a mark with ${name}`, () => {
      assert.throws(() => scan(Buffer.concat([MARK, header, Buffer.alloc(10)]), 1000), WireError);
    });
  }
});

describe('encodeInput()', () => {
  it('puts channel and length before the payload', () => {
    assert.deepEqual(encodeInput(2, Buffer.from('abc')), Buffer.from([2, 3, 0, 0, 0, 0x61, 0x62, 0x63]));
    assert.equal(MARK.length, MARK_BYTES);
  });
});
