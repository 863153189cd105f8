import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BackOff } from './back-off.ts';
import { CallClock } from './call-clock.ts';
import { Places } from './places.ts';

const never = new AbortController().signal;

describe('Places', () => {
  it('go from hand to hand, in order', async () => {
    const places = new Places(1, 10);
    assert.ok(places.tryTake());
    assert.ok(!places.tryTake());
    const order: string[] = [];
    const waits = ['first', 'second'].map((name) => places.take(never).then(() => order.push(name)));
    places.giveBack();
    await waits[0];
    assert.ok(!places.tryTake());
    places.giveBack();
    await waits[1];
    assert.deepEqual(order, ['first', 'second']);
    places.giveBack();
    assert.ok(places.tryTake());
  });

  it('are not kept for those who have gone', async () => {
    const places = new Places(1, 1);
    places.tryTake();
    const stop = new AbortController();
    const gone = places.take(stop.signal);
    assert.ok(places.isFull);
    stop.abort(new Error('gone'));
    await assert.rejects(gone, new Error('gone'));
    await assert.rejects(places.take(stop.signal), new Error('gone'));
    assert.ok(!places.isFull);
    places.giveBack();
    assert.ok(places.tryTake());
  });
});

describe('BackOff', () => {
  it('waits longer after each failure, and not at all after a success', () => {
    const backOff = new BackOff();
    const waits = Array.from({ length: 10 }, () => {
      backOff.failed(0);
      return backOff.waitMs(0);
    });
    assert.deepEqual(waits, [0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    assert.equal(backOff.waitMs(59_000), 1_000);
    backOff.worked();
    assert.equal(backOff.waitMs(0), 0);
  });
});

describe('CallClock', () => {
  it('is late when its time is over, unless it stands still', async () => {
    using late = new CallClock(5, undefined);
    using still = new CallClock(5, undefined);
    still.pause();
    await new Promise((resolve) => setTimeout(resolve, 30));
    assert.deepEqual([late.isLate, late.signal.aborted, still.isLate], [true, true, false]);
    still.resume();
    await new Promise((resolve) => setTimeout(resolve, 30));
    assert.ok(still.isLate);
  });

  it("ends with the caller's reason", () => {
    const stop = new AbortController();
    using clock = new CallClock(1_000, stop.signal);
    stop.abort('enough');
    assert.deepEqual([clock.isCancelled, clock.isLate, clock.signal.reason], [true, false, 'enough']);
  });
});
