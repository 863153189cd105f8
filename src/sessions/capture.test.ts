import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { CapturedStream } from '#contracts/run';
import { OutputCapture } from './capture.ts';

/** A capture that shows ten bytes and keeps thirty, with what it spilled. */
function capture(shownBytes = 10, keptBytesMax = 30) {
  const spilled: Buffer[] = [];
  const stream = new OutputCapture({ shownBytes, keptBytesMax, spill: (chunk) => spilled.push(Buffer.from(chunk)) });
  return { stream, spilled: () => Buffer.concat(spilled).toString() };
}

function readable({ head, tail, ...rest }: CapturedStream) {
  return { head: head.toString(), tail: tail.toString(), ...rest };
}

const cases: ReadonlyArray<
  readonly [name: string, pushed: string[], seen: ReturnType<typeof readable>, spilled: string]
> = [
  ['an empty stream', [], { head: '', tail: '', totalBytes: 0, droppedBytes: 0, valueAt: undefined }, ''],
  [
    'a short one whole',
    ['abc', '', 'def'],
    { head: 'abcdef', tail: '', totalBytes: 6, droppedBytes: 0, valueAt: undefined },
    '',
  ],
  [
    'one that just fits',
    ['01234', '56789'],
    { head: '0123456789', tail: '', totalBytes: 10, droppedBytes: 0, valueAt: undefined },
    '',
  ],
  [
    'both ends of a longer one',
    ['01234', '56789', 'a'],
    { head: '01234', tail: '6789a', totalBytes: 11, droppedBytes: 0, valueAt: undefined },
    '0123456789a',
  ],
  [
    'both ends of one long piece',
    ['0123456789abcdefghij'],
    { head: '01234', tail: 'fghij', totalBytes: 20, droppedBytes: 0, valueAt: undefined },
    '0123456789abcdefghij',
  ],
  [
    'both ends of many small pieces',
    [...'0123456789abcdefghij'],
    { head: '01234', tail: 'fghij', totalBytes: 20, droppedBytes: 0, valueAt: undefined },
    '0123456789abcdefghij',
  ],
  [
    'how much of a very long one was dropped',
    ['x'.repeat(25), 'y'.repeat(10), 'z'],
    { head: 'xxxxx', tail: 'yyyyz', totalBytes: 36, droppedBytes: 6, valueAt: undefined },
    `${'x'.repeat(25)}yyyyy`,
  ],
];

describe('OutputCapture', () => {
  for (const [name, pushed, seen, spilled] of cases) {
    it(`shows ${name}`, () => {
      const under = capture();
      for (const text of pushed) under.stream.push(Buffer.from(text));
      assert.deepEqual(readable(under.stream.snapshotSince(0)), seen);
      assert.equal(under.spilled(), spilled);
    });
  }

  it('shows each byte to one look alone', () => {
    const { stream, spilled } = capture();
    stream.push(Buffer.from('first'));
    assert.deepEqual(readable(stream.snapshotSince(0)).head, 'first');
    assert.deepEqual(readable(stream.snapshotSince(5)), {
      head: '',
      tail: '',
      totalBytes: 0,
      droppedBytes: 0,
      valueAt: undefined,
    });
    stream.push(Buffer.from('second'));
    assert.deepEqual(readable(stream.snapshotSince(5)), {
      head: 'second',
      tail: '',
      totalBytes: 6,
      droppedBytes: 0,
      valueAt: undefined,
    });
    stream.push(Buffer.from('0123456789abcdef'));
    assert.deepEqual(readable(stream.snapshotSince(11)), {
      head: '01234',
      tail: 'bcdef',
      totalBytes: 16,
      droppedBytes: 0,
      valueAt: undefined,
    });
    assert.equal(spilled(), 'firstsecond0123456789abcdef');
    stream.push(Buffer.from('end!'));
    assert.deepEqual(readable(stream.snapshotSince(27)), {
      head: 'end!',
      tail: '',
      totalBytes: 4,
      droppedBytes: 1,
      valueAt: undefined,
    });
    assert.equal(spilled(), 'firstsecond0123456789abcdefend');
  });

  it('gives the same look twice', () => {
    const { stream } = capture();
    stream.push(Buffer.from('ab'));
    stream.snapshotSince(0);
    stream.push(Buffer.from('cd'));
    assert.deepEqual(readable(stream.snapshotSince(2)), readable(stream.snapshotSince(2)));
  });

  it('refuses a look from where none has ended', () => {
    const { stream } = capture();
    stream.push(Buffer.from('abc'));
    assert.throws(() => stream.snapshotSince(1), new RangeError('No look at this stream ended at 1'));
  });

  it('tells where the value begins, in the look that it begins in', () => {
    const { stream } = capture();
    stream.push(Buffer.from('abc'));
    stream.snapshotSince(0);
    stream.push(Buffer.from('d'));
    stream.markValue();
    stream.push(Buffer.from('42'));
    assert.equal(stream.snapshotSince(3).valueAt, 1);
    stream.push(Buffer.from('late'));
    assert.equal(stream.snapshotSince(6).valueAt, undefined);
  });

  it('leaves earlier looks as they were', () => {
    const { stream } = capture();
    stream.push(Buffer.from('0123456789'));
    const seen = stream.snapshotSince(0);
    stream.push(Buffer.from('abcdefghij'));
    assert.equal(seen.head.toString(), '0123456789');
  });

  it('agrees with a capture that remembers everything', () => {
    const pieces = fc.array(fc.record({ bytes: fc.uint8Array({ maxLength: 40 }), look: fc.boolean() }), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 24 }), fc.integer({ min: 0, max: 200 }), pieces, (shown, kept, script) => {
        const under = capture(shown, kept);
        let [all, from] = [Buffer.alloc(0), 0];
        for (const { bytes, look } of [...script, { bytes: new Uint8Array(), look: true }]) {
          under.stream.push(Buffer.from(bytes));
          all = Buffer.concat([all, bytes]);
          if (!look) continue;
          const [seen, unseen] = [under.stream.snapshotSince(from), all.subarray(from)];
          const isLong = unseen.length > shown;
          assert.deepEqual(seen.head, isLong ? unseen.subarray(0, Math.ceil(shown / 2)) : unseen);
          assert.deepEqual(
            seen.tail,
            isLong ? unseen.subarray(unseen.length - Math.floor(shown / 2)) : Buffer.alloc(0),
          );
          assert.equal(seen.totalBytes, unseen.length);
          assert.equal(seen.droppedBytes, Math.max(0, all.length - Math.max(kept, from)));
          from = all.length;
        }
        assert.equal(under.spilled(), all.length > shown ? all.subarray(0, kept).toString() : '');
      }),
    );
  });
});
