import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aliasesOf, findName, identifierOf } from './names.ts';

describe('identifierOf()', () => {
  const cases: ReadonlyArray<readonly [name: string, alias: string]> = [
    ['create_issue', 'create_issue'],
    ['createIssue', 'createIssue'],
    ['create-issue', 'create_issue'],
    ['issues.create', 'issues_create'],
    ['3d', '_3d'],
    ['class', 'class_'],
    ['Über srv!', 'Über_srv_'],
    ['"); import os', '_import_os'],
    ['', '_'],
  ];
  for (const [name, alias] of cases) {
    it(`makes ${alias} of ${JSON.stringify(name)}`, () => assert.equal(identifierOf(name), alias));
  }
});

describe('aliasesOf()', () => {
  it('lets an exact name be itself, and numbers the others in the order of their names', () => {
    const aliases = aliasesOf(['create issue', 'create-issue', 'create_issue']);
    assert.deepEqual(Object.fromEntries(aliases), {
      create_issue: 'create_issue',
      'create issue': 'create_issue_2',
      'create-issue': 'create_issue_3',
    });
  });
});

describe('findName()', () => {
  const names = ['create-issue', 'create_issue', 'listRepos', 'x.y'];
  const cases: ReadonlyArray<readonly [wanted: string, found: string | undefined]> = [
    ['create_issue', 'create_issue'],
    ['create-issue', 'create-issue'],
    ['create_issue_2', 'create-issue'],
    ['createIssue', undefined],
    ['list_repos', 'listRepos'],
    ['x_y', 'x.y'],
    ['', undefined],
  ];
  for (const [wanted, found] of cases) {
    it(`takes ${JSON.stringify(wanted)} for ${found}`, () => assert.equal(findName(wanted, names), found));
  }
});
