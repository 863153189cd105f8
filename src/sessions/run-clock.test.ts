import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RunClock } from './run-clock.ts';

const late = (clock: RunClock, timeMs: number) => new Promise<void>((resolve) => clock.start(timeMs, resolve));
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('RunClock', () => {
  it('says when the time is over', async () => await late(new RunClock(), 5));

  it('stands still until nobody holds it', async () => {
    const clock = new RunClock();
    let isLate = false;
    const over = late(clock, 30).then(() => {
      isLate = true;
    });
    const [one, other] = [clock.hold(), clock.hold()];
    one[Symbol.dispose]();
    one[Symbol.dispose]();
    await wait(80);
    assert.deepEqual([isLate, clock.isHeld], [false, true]);
    other[Symbol.dispose]();
    await over;
    assert.equal(clock.isHeld, false);
  });

  it('says nothing once it has stopped', async () => {
    const clock = new RunClock();
    clock.start(5, () => assert.fail('too late'));
    const hold = clock.hold();
    clock.stop();
    hold[Symbol.dispose]();
    await wait(20);
  });
});
