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
    const tail = new Tail(10_000);
    assert.equal(tail.words(), '');
    tail.add(Buffer.from('one\n\n  two\nthree  \nfour\n\nfive\n'));
    assert.equal(tail.words(), ': two | three | four | five');
    tail.add(Buffer.from('x'.repeat(5_000)));
    assert.equal(tail.words(), `: ${'x'.repeat(600)}`);
  });

  it('forgets', () => {
    const tail = new Tail(100);
    tail.add(Buffer.from('one'));
    tail.clear();
    assert.equal(tail.text(), '');
  });
});
