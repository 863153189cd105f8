import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Dictionary, editDistance } from './typos.ts';

const distances: ReadonlyArray<readonly [a: string, b: string, distance: number]> = [
  ['issue', 'issue', 0],
  ['isue', 'issue', 1],
  ['isseu', 'issue', 1],
  ['issues', 'issue', 1],
  ['repositry', 'repository', 1],
  ['calender', 'calendar', 1],
  ['screnshoot', 'screenshot', 2],
  ['', 'ab', 2],
  ['message', 'branch', 3],
];

for (const [a, b, distance] of distances) {
  it(`editDistance() between "${a}" and "${b}" is ${distance === 3 ? 'past the bound' : distance}`, () => {
    assert.equal(editDistance(a, b, 2), distance);
    assert.equal(editDistance(b, a, 2), distance);
  });
}

const known = ['issue', 'issues', 'tissue', 'repository', 'screenshot', 'message', 'file', 'constructor'];
const dictionary = new Dictionary(known.map((word, term) => [word, term]));

const corrections: ReadonlyArray<readonly [word: string, expected: readonly string[]]> = [
  ['isue', ['issue']],
  ['repositry', ['repository']],
  ['screnshoot', ['screenshot']],
  ['mesage', ['message']],
  ['flie', ['file']],
  ['konstructor', ['constructor']],
  ['fil', []],
  ['weather', []],
  ['issue7', []],
  ['x'.repeat(5_000), []],
];

for (const [word, expected] of corrections) {
  it(`Dictionary.nearest() corrects "${word.slice(0, 20)}" to ${JSON.stringify(expected)}`, () => {
    assert.deepEqual(
      dictionary.nearest(word, 2).map((spelling) => spelling.word),
      expected,
    );
  });
}
