import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chooseLanguage } from './choose.ts';
import { readProgramText } from './program-text.ts';

/** Stands for the interpreters' parsers: each language takes what begins with its own word. */
const parses = async (language: { id: string }, code: string) => code.trim().startsWith(language.id);

async function choose(sent: string, named?: string, fileName?: string): Promise<string> {
  return (await chooseLanguage({ named, program: readProgramText(sent), fileName }, parses)).id;
}

const cases: ReadonlyArray<
  readonly [what: string, expected: string, sent: string, named?: string | undefined, fileName?: string]
> = [
  ['the named language over all', 'bash', '```python\nx\n```', 'sh', 'a.py'],
  ['names in any case, with spaces', 'typescript', 'x', ' TypeScript '],
  ['the fence over the file name', 'python', '```py\nx\n```', undefined, 'a.js'],
  ['the #! line', 'bash', '#!/bin/bash\nx'],
  ['the #! line with env and a version', 'python', '#!/usr/bin/env -S python3.11 -u\nx', 'auto'],
  ['the file name', 'typescript', 'x', undefined, 'src/a.mts'],
  ['the first language in which it parses', 'typescript', 'typescript x'],
];

describe('chooseLanguage()', () => {
  for (const [what, expected, ...args] of cases) {
    it(`takes ${what}`, async () => assert.equal(await choose(...args), expected));
  }

  it('names the nearest languages for an unknown one', async () => {
    await assert.rejects(choose('x', 'pyton'), {
      code: 'LANGUAGE_UNKNOWN',
      message: 'Unknown language "pyton"',
      hint: 'Use one of: python, typescript, bash, javascript; or leave "language" out',
    });
  });

  it('asks for the language when the code parses in none', async () => {
    await assert.rejects(choose('???'), { code: 'LANGUAGE_UNKNOWN' });
  });
});
