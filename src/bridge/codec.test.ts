import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { encodeFrame, type Frame, FrameError, FrameReader, fieldText, fieldTexts } from './codec.ts';

const verbs = fc.stringMatching(/^[a-z-]{1,12}$/);
const frames = fc.array(
  fc.tuple(verbs, fc.array(fc.tuple(verbs, fc.uint8Array({ maxLength: 200 })), { maxLength: 6 })),
  { maxLength: 6 },
);

function readAll(chunks: readonly Buffer[]): Frame[] {
  const reader = new FrameReader();
  return chunks.flatMap((chunk) => reader.push(chunk));
}

describe('FrameReader', () => {
  it('gives back every frame, however the bytes are cut', () => {
    fc.assert(
      fc.property(frames, fc.integer({ min: 1, max: 50 }), (input, size) => {
        const bytes = Buffer.concat(input.map(([verb, fields]) => encodeFrame(verb, fields)));
        const chunks = [];
        for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
        const output = readAll(chunks).map((frame) => [
          frame.verb,
          frame.fields.map(([name, value]) => [name, new Uint8Array(value)]),
        ]);
        assert.deepEqual(output, input);
      }),
    );
  });

  it('answers rubbish with FrameError or with frames, never with another error', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 64 })), (chunks) => {
        try {
          readAll(chunks.map((chunk) => Buffer.from(chunk)));
        } catch (error) {
          assert.ok(error instanceof FrameError);
        }
      }),
    );
  });

  const refused: ReadonlyArray<readonly [what: string, bytes: string]> = [
    ['a header without a number', 'done\n'],
    ['a header line without an end', 'x'.repeat(200)],
    ['more fields than allowed', 'done 999999\n'],
    ['a field longer than a frame may be', 'done 1\nerror 999999999\n'],
    ['a field that does not end where it says', 'done 1\nid 1\n12\n'],
    ['a negative length', 'done 1\nid -1\n\n'],
  ];
  for (const [what, bytes] of refused) {
    it(`refuses ${what}`, () => {
      assert.throws(() => readAll([Buffer.from(bytes)]), FrameError);
    });
  }

  it('reads a value of many chunks in time that grows with its length', () => {
    const value = Buffer.alloc(8 << 20, 7);
    const bytes = encodeFrame('image', [['data', value]]);
    const reader = new FrameReader();
    const got: Frame[] = [];
    for (let at = 0; at < bytes.length; at += 4096) got.push(...reader.push(bytes.subarray(at, at + 4096)));
    assert.equal(got.length, 1);
    assert.ok(got[0]?.fields[0]?.[1].equals(value));
  });

  it('reads fields by name, the first or all', () => {
    const [frame] = readAll([
      encodeFrame('done', [
        ['id', '7'],
        ['note', 'a'],
        ['note', 'é'],
      ]),
    ]);
    assert.ok(frame);
    assert.deepEqual(
      [fieldText(frame, 'id'), fieldText(frame, 'none'), fieldTexts(frame, 'note')],
      ['7', undefined, ['a', 'é']],
    );
  });
});
