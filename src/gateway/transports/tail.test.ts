import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Tail } from './tail.ts';

describe('Tail', () => {
  it('keeps the last bytes, however they came', () => {
    for (const chunks of [['abcdefghij'], ['abc', 'defg', 'hij'], [...'abcdefghij'], ['abcdefghi', 'j']]) {
      const tail = new Tail(4);
      for (const chunk of chunks) tail.add(Buffer.from(chunk));
      assert.equal(tail.text(), 'ghij');
    }
  });

  it('gives the last lines that say something', () => {
    const tail = new Tail(100);
    tail.add(Buffer.from('one\n\n  two\nthree  \n\n'));
    assert.equal(tail.lastLines(2, 100), 'two | three');
    assert.equal(tail.lastLines(2, 5), 'three');
  });

  it('forgets', () => {
    const tail = new Tail(100);
    tail.add(Buffer.from('one'));
    tail.clear();
    assert.equal(tail.text(), '');
  });
});
