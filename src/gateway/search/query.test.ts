import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findLiterals } from './literals.ts';
import { readQuery } from './query.ts';

describe('findLiterals()', () => {
  const cases: ReadonlyArray<readonly [text: string, found: ReadonlyArray<readonly [string, ...string[]]>]> = [
    ['save it to /data/rome.md.', [['/data/rome.md', 'file', 'md']]],
    [
      'read ~/notes.txt and C:\\temp\\a.csv',
      [
        ['~/notes.txt', 'file', 'txt'],
        ['C:\\temp\\a.csv', 'file', 'csv'],
      ],
    ],
    ['open report.pdf', [['report.pdf', 'file', 'pdf']]],
    ['look at https://example.com/a?b=c, please', [['https://example.com/a?b=c', 'url', 'website']]],
    ['whois example.com', [['example.com', 'url', 'website']]],
    ['write to jo.doe@example.com', [['jo.doe@example.com', 'email']]],
    ['the film "Pulp Fiction"', [['"Pulp Fiction"']]],
    ["the folder 'a/b' and don't", [["'a/b'"]]],
    ['search in "/tmp/x.json"', [['"/tmp/x.json"', 'file', 'json']]],
    ['shadcn/ui and/or input/output', []],
    [`decode ${'QUJD'.repeat(40)}`, [['QUJD'.repeat(40)]]],
  ];
  for (const [text, expected] of cases) {
    it(`reads ${JSON.stringify(text.slice(0, 60))}`, () => {
      assert.deepEqual(
        findLiterals(text).map((literal) => [literal.text, ...literal.kinds]),
        expected,
      );
    });
  }
});

describe('readQuery()', () => {
  const clauses: ReadonlyArray<readonly [text: string, firstWords: readonly string[]]> = [
    ['create issue', ['create']],
    ['Find the paper. Save it to /tmp/a.md', ['paper', 'save']],
    ['list my issues and then close them', ['list', 'close']],
    ['translate the text and send it to Bob', ['translate', 'send']],
    ['read and write files', ['read']],
    ['v1.2 of example.com', ['v1']],
    ['查一下天气。再发一封邮件', ['查一', '再发']],
  ];
  for (const [text, expected] of clauses) {
    it(`splits ${JSON.stringify(text)} into ${expected.length} wishes`, () => {
      const { clauses: found } = readQuery(text);
      assert.deepEqual(
        found.map((clause) => clause.find(({ weight, origin }) => weight === 1 && origin === 'word')?.word),
        expected,
      );
    });
  }

  const telling: ReadonlyArray<readonly [text: string, words: readonly string[]]> = [
    ['please help me to find the weather', ['weather']],
    ['what is it', []],
    ['get details', ['get', 'details']],
    ['"create issue"', ['create', 'issue']],
    ['', []],
  ];
  for (const [text, expected] of telling) {
    it(`finds the telling words of ${JSON.stringify(text)}`, () => {
      assert.deepEqual(readQuery(text).telling, expected);
    });
  }

  it('takes a word in the middle with a capital for a value', () => {
    const origins = readQuery('trains from Berlin to Munich').clauses[0]?.map(({ word, origin }) => [word, origin]);
    assert.deepEqual(origins?.slice(0, 3), [
      ['trains', 'word'],
      ['berlin', 'name'],
      ['munich', 'name'],
    ]);
  });

  it('reads hostile text of any kind in bounded time', () => {
    const start = performance.now();
    for (const piece of [
      '"',
      "'",
      'a"',
      '/',
      '\\',
      '@',
      'a@',
      'a.',
      'www.',
      'and ',
      'A',
      '_',
      '“',
      '((',
      '\u0000',
      '\ud800',
      '八',
    ]) {
      const { clauses: found } = readQuery(piece.repeat(20_000));
      assert.ok(found.length <= 12);
    }
    assert.ok(performance.now() - start < 5_000);
  });
});
