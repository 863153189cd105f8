import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { didYouMean, nearestNames } from './nearest.ts';

const NAMES = ['create_issue', 'create_pull_request', 'list_issues', 'get_issue', 'search_code', 'fork'];

describe('nearestNames()', () => {
  const cases: ReadonlyArray<readonly [wanted: string, nearest: readonly string[]]> = [
    ['create_issue', ['create_issue']],
    ['createIssue', ['create_issue']],
    ['Create Issue', ['create_issue']],
    ['craete_isue', ['create_issue']],
    ['create-issues', ['create_issue']],
    ['list_issue', ['list_issues', 'get_issue']],
    ['issue', ['get_issue', 'list_issues', 'create_issue']],
    ['frok', ['fork']],
    ['weather', []],
    ['', []],
    ['💣', []],
  ];
  for (const [wanted, nearest] of cases) {
    it(`answers ${JSON.stringify(wanted)} with ${JSON.stringify(nearest)}`, () => {
      assert.deepEqual(nearestNames(wanted, NAMES), nearest);
    });
  }

  it('takes a name of any length', () => {
    assert.deepEqual(nearestNames('x'.repeat(1_000_000), ['y'.repeat(1_000_000), 'fork']), []);
  });
});

describe('didYouMean()', () => {
  it('is a question, or nothing', () => {
    assert.equal(didYouMean('forks', NAMES), 'Did you mean "fork"?');
    assert.equal(didYouMean('weather', NAMES), undefined);
  });
});
