import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeFrame, type Frame, FrameReader, fieldText } from '#bridge/codec';
import { BOUNDS } from '#contracts/limits';
import type { Visitor } from '#sandbox/backend';
import { type VisitorCall, Visits } from './visits.ts';

class Guest implements Visitor {
  readonly frames: Frame[] = [];
  unreadBytes = 0;
  hasEnded = false;
  say: (bytes: Buffer) => void = () => {};
  leave: () => void = () => {};
  readonly #reader = new FrameReader();

  send(bytes: Buffer): void {
    this.frames.push(...this.#reader.push(bytes));
  }
  end(): void {
    this.hasEnded = true;
  }
  onData(listener: (bytes: Buffer) => void): void {
    this.say = listener;
  }
  onGone(listener: () => void): void {
    this.leave = listener;
  }
}

function call(id: string, more: Array<[string, string]> = [['params', '{}']]): Buffer {
  return encodeFrame('call', [['id', id], ['method', 'x'], ...more]);
}

function visit(answer: VisitorCall): Guest {
  const guest = new Guest();
  new Visits(answer).take(guest);
  return guest;
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('Visits', () => {
  it('answers each call of a connection, in the order in which they are done', async () => {
    const waiting = new Map<string, () => void>();
    const guest = visit(
      (frame) =>
        new Promise((resolve) => {
          const id = fieldText(frame, 'id') ?? '';
          waiting.set(id, () => resolve({ id }));
        }),
    );
    guest.say(Buffer.concat([call('1'), call('2')]));
    waiting.get('2')?.();
    await settle();
    waiting.get('1')?.();
    await settle();
    assert.deepEqual(
      guest.frames.map((frame) => [fieldText(frame, 'id'), fieldText(frame, 'value')]),
      [
        ['2', '{"id":"2"}'],
        ['1', '{"id":"1"}'],
      ],
    );
    assert.equal(guest.hasEnded, false);
  });

  it('tells the work that nobody waits for it any more', async () => {
    let signal: AbortSignal | undefined;
    const guest = visit((_frame, gone) => {
      signal = gone;
      return new Promise(() => {});
    });
    guest.say(call('1'));
    guest.leave();
    assert.equal(signal?.aborted, true);
  });

  it('refuses what is no frame, and what is too long, and says why', () => {
    for (const [bytes, reason] of [
      [Buffer.from('GET / HTTP/1.1\r\n'), /header line/],
      [Buffer.from('call 1\nparams 999999999\n'), /longer than/],
      [Buffer.from('call 99999\n'), /99999 fields/],
    ] as const) {
      const guest = visit(() => assert.fail());
      guest.say(bytes);
      assert.match(fieldText(guest.frames[0] as Frame, 'err') ?? '', reason);
      assert.equal(guest.hasEnded, true);
    }
  });

  it('holds no more than its bound for all visitors together', () => {
    const visits = new Visits(() => new Promise(() => {}));
    const guests = Array.from({ length: 3 }, () => new Guest());
    const half = Buffer.alloc(BOUNDS.visitorBytesMax / 2, 'x');
    for (const guest of guests) {
      visits.take(guest);
      guest.say(Buffer.concat([Buffer.from(`call 1\nparams ${half.length + 10}\n`), half]));
    }
    assert.deepEqual(
      guests.map(({ hasEnded }) => hasEnded),
      [false, true, true],
    );
    // A refused one holds nothing: there is room again when the first has left.
    guests[0]?.leave();
    const next = new Guest();
    visits.take(next);
    next.say(half);
    assert.equal(next.hasEnded, true); // not a frame, and so it was looked at
  });

  it('gives an error instead of a long answer while too many wait to be read', async () => {
    const guest = visit(async () => 'x'.repeat(100_000));
    guest.unreadBytes = BOUNDS.repliesHeldBytesMax + 1;
    guest.say(call('1'));
    await settle();
    assert.match(fieldText(guest.frames[0] as Frame, 'value') ?? '', /"code":"BUSY"/);
  });
});
