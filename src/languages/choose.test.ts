import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chooseLanguage, type LanguageChecks, type LanguageClues } from './choose.ts';
import { readProgramText } from './program-text.ts';

/** Stands for the interpreters' parsers; a run asks the real ones. */
const PARSES: Readonly<Record<string, RegExp>> = {
  python: /^(?!.*["'] ?hi)(?:print\(.*\)|\w+ = \d+|\d+ ?\+ ?\d+)$/,
  javascript: /^[\w.]+\(.*\)$|^\w+ = \d+$/,
  bash: /^\w/,
};

const checks: LanguageChecks = {
  isInstalled: async ({ interpreter }) => ['python', 'javascript', 'bash'].includes(interpreter),
  parses: async ({ id }, code) => PARSES[id]?.test(code.trim()) ?? false,
};

async function choose(sent: string, clues: Partial<LanguageClues> = {}): Promise<string> {
  const all = { named: undefined, fileName: undefined, beside: [], last: undefined, ...clues };
  return (await chooseLanguage({ ...all, program: readProgramText(sent) }, checks)).id;
}

const cases: ReadonlyArray<readonly [what: string, expected: string, sent: string, clues?: Partial<LanguageClues>]> = [
  ['the named language over all', 'bash', '```python\nx\n```', { named: 'sh', fileName: 'a.py' }],
  ['names in any case, with spaces', 'typescript', 'x', { named: ' TypeScript ' }],
  ['the fence over the file name', 'python', '```py\nx\n```', { fileName: 'a.js' }],
  ['the #! line', 'bash', '#!/bin/bash\nx'],
  ['the #! line below a fence without a word', 'bash', '```\n#!/bin/bash\nx\n```'],
  ['the #! line with env and a version', 'python', '#!/usr/bin/env -S python3.11 -u\nx', { named: 'auto' }],
  ['the file name', 'typescript', 'x', { fileName: 'src/a.mts' }],
  [
    'the file name over a #! line of the same interpreter',
    'typescript',
    '#!/usr/bin/env node\nx',
    { fileName: 'a.ts' },
  ],
  ['what a shell line starts', 'python', '#!/bin/sh\n"exec" # ...\nexec python3 "$0" "$@"\nx'],
  ['the modeline of Emacs', 'python', '# -*- mode: python -*-\nx'],
  ['the modeline of Vim at the end', 'javascript', 'x\n// vim: set ts=2 ft=javascript :'],
  ['clear Python', 'python', 'import os\nfor name in os.listdir("."):\n    print(name)'],
  ['clear JavaScript', 'javascript', 'const total = [1, 2].reduce((a, b) => a + b);\nconsole.log(total);'],
  ['clear TypeScript', 'typescript', 'const n: number = 1;\nconst f = (s: string): number => s.length;'],
  ['clear Bash', 'bash', 'for f in *.txt; do\n  echo "$f"\ndone'],
  ['one command', 'bash', 'ls -la'],
  ['a pipe', 'bash', 'cat a.txt | wc -l'],
  ['a live language in which it parses, on a tie', 'python', 'print(6*7)'],
  ['Python for an assignment', 'python', 'x = 5'],
  ['Python for a sum', 'python', '1+1'],
  ['the session’s last language as a hint', 'javascript', 'x = 5', { last: 'javascript', beside: ['lib/a.js'] }],
  ['explicit words over the hint', 'python', 'import os\nprint(os.getcwd())', { last: 'bash', beside: ['a.sh'] }],
];

describe('chooseLanguage()', () => {
  for (const [what, expected, ...args] of cases) {
    it(`takes ${what}`, async () => assert.equal(await choose(...args), expected));
  }

  it('names the nearest languages for an unknown one', async () => {
    await assert.rejects(choose('x', { named: 'pyton' }), {
      code: 'LANGUAGE_UNKNOWN',
      message: 'Unknown language "pyton"',
      hint: 'Use one of: python (sallyport languages lists all); or leave "language" out',
    });
  });

  for (const unclear of ['???', 'println("hi")', 'puts "hi"', 'hello world, how are you', 'what is the answer']) {
    it(`asks instead of running ${JSON.stringify(unclear)}`, async () => {
      await assert.rejects(choose(unclear), {
        code: 'LANGUAGE_UNKNOWN',
        message: /^Which language is this code in\? It could be /,
        hint: /^Nothing was run\. Name it in "language": /,
      });
    });
  }
});
