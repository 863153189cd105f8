import assert from 'node:assert/strict';
import { it } from 'node:test';
import { CallRates } from './rate.ts';

it('CallRates gives each server its calls a minute, and then one place after the other', () => {
  let now = 0;
  const rates = new CallRates(() => now);
  const take = (server: string) => rates.take(server, 2);
  assert.deepEqual([take('a'), take('a'), take('a'), take('b')], [0, 0, 30_000, 0]);
  now = 29_000;
  assert.equal(take('a'), 1_000);
  now = 30_000;
  assert.deepEqual([take('a'), take('a')], [0, 30_000]);
  now = 1_000_000;
  assert.deepEqual([take('a'), take('a'), take('a')], [0, 0, 30_000], 'places do not pile up');
});
