import assert from 'node:assert/strict';
import { it } from 'node:test';
import { caseCompounds, words } from './tokenize.ts';

const cases: ReadonlyArray<readonly [text: string, expected: readonly string[]]> = [
  ['', []],
  ['create_issue', ['create', 'issue']],
  ['create-issue', ['create', 'issue']],
  ['github.create_issue', ['github', 'create', 'issue']],
  ['mcp__github__createIssue', ['mcp', 'github', 'create', 'issue']],
  ['getHTMLPage', ['get', 'html', 'page']],
  ['listAPIs', ['list', 'apis']],
  ['S3Bucket', ['s3', 'bucket']],
  ['base64 to mp3', ['base64', 'to', 'mp3']],
  ["don't", ['dont']],
  ['Café Zürich', ['cafe', 'zurich']],
  ['ﬁle', ['file']],
  ['Привет, мир', ['привет', 'мир']],
  ['搜索图片', ['搜索', '索图', '图片']],
  ['八字 of a boy', ['八字', 'of', 'a', 'boy']],
  ['画', ['画']],
  ['ファイル検索', ['ファ', 'ァイ', 'イル', 'ル検', '検索']],
  ['파일을 읽기', ['파일', '일을', '읽기']],
  ['"quoted"\n\t(regex).*[a-z]+$', ['quoted', 'regex', 'a', 'z']],
  ['😀 🚀', []],
];

for (const [text, expected] of cases) {
  it(`words() reads ${JSON.stringify(text)}`, () => {
    assert.deepEqual(words(text), expected);
  });
}

it('caseCompounds() joins neighbours of one run, not of a sentence', () => {
  assert.deepEqual(caseCompounds('on GitHub with PowerPoint files'), ['github', 'powerpoint']);
});

it('words() stays fast on a long run without an end', () => {
  const start = performance.now();
  words('aA'.repeat(200_000));
  words('あ'.repeat(200_000));
  assert.ok(performance.now() - start < 2_000);
});
