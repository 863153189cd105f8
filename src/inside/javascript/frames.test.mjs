import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeFrame, FrameError, FrameReader, fieldText, fieldTexts } from './frames.mjs';

function readAll(chunks) {
  const reader = new FrameReader();
  return chunks.flatMap((chunk) => reader.push(chunk));
}

describe('frames', () => {
  const bytes = Buffer.concat([
    encodeFrame('run', [
      ['id', '7'],
      ['code', 'print("é")\n'],
      ['arg', 'a'],
      ['arg', ''],
      ['stdin', Uint8Array.of(0, 10, 255)],
    ]),
    encodeFrame('ping', []),
  ]);

  it('are text with byte counts', () => {
    assert.equal(
      Buffer.from(bytes).toString('latin1'),
      'run 5\nid 1\n7\ncode 12\nprint("\xc3\xa9")\n\narg 1\na\narg 0\n\nstdin 3\n\0\n\xff\nping 0\n',
    );
  });

  for (const size of [1, 2, 5, 17, 1000]) {
    it(`are read back from chunks of ${size} bytes`, () => {
      const chunks = [];
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
      const [run, ping, ...more] = readAll(chunks);
      assert.equal(run.verb, 'run');
      assert.equal(fieldText(run, 'code'), 'print("é")\n');
      assert.deepEqual(fieldTexts(run, 'arg'), ['a', '']);
      assert.deepEqual([...run.fields[4][1]], [0, 10, 255]);
      assert.deepEqual(ping, { verb: 'ping', fields: [] });
      assert.deepEqual(more, []);
    });
  }

  const refused = [
    ['a header without a number', 'done\n'],
    ['a header line without an end', 'x'.repeat(200)],
    ['more fields than allowed', 'done 999999\n'],
    ['a field longer than a frame may be', 'done 1\nerror 999999999\n'],
    ['a field that does not end where it says', 'done 1\nid 1\n12\n'],
  ];
  for (const [what, text] of refused) {
    it(`refuse ${what}`, () => {
      assert.throws(() => readAll([Buffer.from(text)]), FrameError);
    });
  }
});
