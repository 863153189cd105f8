import assert from 'node:assert/strict';
import { it } from 'node:test';
import { stem } from './stem.ts';

const families: ReadonlyArray<readonly string[]> = [
  ['issue', 'issues'],
  ['repository', 'repositories'],
  ['search', 'searches', 'searching', 'searched', 'searcher'],
  ['create', 'creates', 'created', 'creating', 'creation', 'creator'],
  ['generate', 'generates', 'generating', 'generation', 'generator'],
  ['analyze', 'analyse', 'analysis', 'analyses', 'analyzing', 'analytics'],
  ['recommend', 'recommends', 'recommendation', 'recommendations'],
  ['retrieve', 'retrieving', 'retrieved', 'retrieval'],
  ['query', 'queries'],
  ['index', 'indices', 'indexes'],
  ['delete', 'deleted', 'deleting', 'deletion'],
  ['deploy', 'deploying', 'deployment', 'deployments'],
  ['translate', 'translation', 'translator'],
  ['convert', 'converts', 'converting', 'conversion'],
  ['box', 'boxes'],
  ['child', 'children'],
];

for (const [first = '', ...others] of families) {
  it(`stem() gives ${others.join(', ')} the stem of ${first}`, () => {
    assert.deepEqual(
      others.map(stem),
      others.map(() => stem(first)),
    );
  });
}

const strangers: ReadonlyArray<readonly [string, string]> = [
  ['state', 'station'],
  ['status', 'state'],
  ['news', 'new'],
  ['use', 'user'],
  ['business', 'busy'],
  ['setting', 'set'],
];

for (const [one, other] of strangers) {
  it(`stem() keeps ${one} and ${other} apart`, () => {
    assert.notEqual(stem(one), stem(other));
  });
}

for (const word of ['', 'a', 'get', 'k8s', 'café', '八字', '__proto__', 'constructor']) {
  it(`stem() takes ${JSON.stringify(word)} and always answers the same`, () => {
    assert.equal(typeof stem(word), 'string');
    assert.equal(stem(word), stem(word));
  });
}
