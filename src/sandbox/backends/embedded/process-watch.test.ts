import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cpuTime, ownMemory } from './process-watch.ts';

describe('ownMemory()', () => {
  it('adds own and shared memory, and leaves files out', () => {
    assert.equal(
      ownMemory('VmRSS:\t  300 kB\nRssAnon:\t  100 kB\nRssFile:\t  180 kB\nRssShmem:\t   20 kB\n'),
      120 * 1024,
    );
  });
});

describe('cpuTime()', () => {
  it('finds the fields behind a name that looks like fields', () => {
    const fields = ['R', ...Array.from({ length: 10 }, () => '7'), '12', '3', '99'];
    assert.equal(cpuTime(`1234 (deno) R 1 2) ${fields.join(' ')}`), 150);
  });
});
