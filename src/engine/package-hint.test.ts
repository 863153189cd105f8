import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { missingPackageHint } from './package-hint.ts';

describe('missingPackageHint()', () => {
  const cases: ReadonlyArray<readonly [text: string, code: string, expected: string | undefined]> = [
    [
      "ModuleNotFoundError: No module named 'yaml'",
      'import yaml',
      'yaml is not installed; to ask for it, put this at the top:\n# /// script\n# dependencies = ["pyyaml"]\n# ///',
    ],
    ["ModuleNotFoundError: No module named 'a.b'", '# /// script\n# dependencies = ["a"]\n# ///', 'a is not installed'],
    [
      "Error: Cannot find package '@a/b' imported from /workspace/",
      '',
      '@a/b is not installed; import it as "npm:@a/b" to ask for it',
    ],
    ["Error: Cannot find module 'x'\nRequire stack:", '', 'x is not installed; import it as "npm:x" to ask for it'],
    ["Error: Cannot find module './x'", '', undefined],
    ["Error: Cannot find module '/workspace/x'", '', undefined],
    ["ModuleNotFoundError: No module named 'x\"]\\nforged'", '', undefined],
    ['fine', '', undefined],
  ];
  for (const [text, code, expected] of cases) {
    it(`reads ${JSON.stringify(text)}`, () => assert.equal(missingPackageHint(text, code), expected));
  }
});
