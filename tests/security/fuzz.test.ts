/** What no interpreter would send: the codec takes it for frames or for a FrameError, and never holds more than it may. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { encodeFrame, type Frame, FrameError, FrameReader } from '#bridge/codec';
import { BOUNDS } from '#contracts/limits';

const RUNS = process.env.SALLYPORT_TEST_FULL === '1' ? 20_000 : 1_500;

/** Frames as the protocol has them, then damaged in one place. */
const word = fc.stringMatching(/^[a-z-]{1,8}$/);
const valid = fc
  .tuple(word, fc.array(fc.tuple(word, fc.uint8Array({ maxLength: 40 })), { maxLength: 4 }))
  .map(([verb, fields]) => encodeFrame(verb, fields));
const damage = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom('flip', 'cut', 'double', 'number', 'newline'),
  byte: fc.integer({ min: 0, max: 255 }),
});
const damaged = fc
  .tuple(fc.array(valid, { minLength: 1, maxLength: 4 }), damage)
  .map(([frames, { at, kind, byte }]) => {
    const bytes = Buffer.concat(frames);
    const place = at % bytes.length;
    const [head, tail] = [bytes.subarray(0, place), bytes.subarray(place)];
    switch (kind) {
      case 'flip':
        return Buffer.concat([head, Buffer.from([byte]), tail.subarray(1)]);
      case 'cut':
        return Buffer.concat([head, tail.subarray(1 + (byte % 8))]);
      case 'double':
        return Buffer.concat([head, tail.subarray(0, byte), tail]);
      case 'number':
        return Buffer.concat([head, Buffer.from('999999999999'), tail]);
      default:
        return Buffer.concat([head, Buffer.from('\n'), tail]);
    }
  });

function readInPieces(bytes: Buffer, size: number): Frame[] | FrameError {
  const reader = new FrameReader();
  const frames: Frame[] = [];
  try {
    for (let at = 0; at < bytes.length; at += size) frames.push(...reader.push(bytes.subarray(at, at + size)));
    return frames;
  } catch (error) {
    assert.ok(error instanceof FrameError, String(error));
    return error;
  }
}

describe('the codec under hostile bytes', () => {
  it('answers damaged frames with frames or a FrameError', () => {
    fc.assert(
      fc.property(damaged, fc.integer({ min: 1, max: 64 }), (bytes, size) => {
        const read = readInPieces(bytes, size);
        if (read instanceof FrameError) return;
        for (const { verb, fields } of read) {
          assert.match(verb, /^[a-z-]{1,32}$/);
          assert.ok(fields.length <= BOUNDS.frameFieldsMax);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('reads the same, however the bytes are cut', () => {
    fc.assert(
      fc.property(damaged, fc.integer({ min: 1, max: 16 }), (bytes, size) => {
        const [whole, pieces] = [readInPieces(bytes, bytes.length), readInPieces(bytes, size)];
        if (whole instanceof FrameError) assert.ok(pieces instanceof FrameError);
        else assert.deepEqual(pieces, whole);
      }),
      { numRuns: RUNS },
    );
  });

  it('refuses a frame that is announced longer than it may be, before it has come', () => {
    for (const length of [BOUNDS.frameBytesMax + 1, 999_999_999]) {
      assert.ok(readInPieces(Buffer.from(`image 1\ndata ${length}\n`), 7) instanceof FrameError);
    }
    const allowed = Buffer.from(`image 1\ndata ${BOUNDS.frameBytesMax - 100}\n`);
    assert.deepEqual(readInPieces(allowed, 7), [], 'one that may come is waited for');
  });
});
