import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { declaredInJavaScript } from './declared-javascript.ts';
import { declaredInPython } from './declared-python.ts';
import { wishText } from './wish.ts';

describe('declaredInPython()', () => {
  const good: ReadonlyArray<readonly [what: string, code: string, expected: readonly string[]]> = [
    ['nothing', 'import os', []],
    [
      'a block',
      '# /// script\n# dependencies = [\n#   "six==1.16.0",\n#   "rich",\n# ]\n# ///\nimport six',
      ['six==1.16.0', 'rich'],
    ],
    ['a block with other keys', '# /// script\n# requires-python = ">=3.8"\n#\n# [tool.x]\n# y = 1\n# ///', []],
    ['another kind of block', '# /// other\n# dependencies = ["six"]\n# ///', []],
    ['a line', '# requirements: six==1.16.0, rich>=13,<14, attrs', ['six==1.16.0', 'rich>=13,<14', 'attrs']],
    ['a line with extras', '#requirements: uvicorn[standard,x], rich', ['uvicorn[standard,x]', 'rich']],
    ['a remark', '# requirements: must be fast, and simple', []],
    ['a block inside a string of a program that prints it', 'x = """\n  # /// script\n"""', []],
  ];
  for (const [what, code, expected] of good) {
    it(`reads ${what}`, () => assert.deepEqual(declaredInPython(code).map(wishText), expected));
  }

  const bad: ReadonlyArray<readonly [what: string, code: string, message: RegExp]> = [
    ['a block without an end', '# /// script\n# dependencies = []\nimport x', /has no end \(line 1\)/],
    ['two blocks', '# /// script\n# ///\n# /// script\n# ///', /two "script" blocks \(line 3\)/],
    ['a block that is no TOML', '# /// script\n# dependencies = [\n# ///', /is no TOML/],
    ['no list', '# /// script\n# dependencies = "six"\n# ///', /is no list of texts/],
    ['no texts', '# /// script\n# dependencies = [1]\n# ///', /is no list of texts/],
    ['an option', '# /// script\n# dependencies = ["--pre"]\n# ///', /"--pre" is no package/],
    ['an option on the line', '# requirements: six, --pre', /"--pre" is no package/],
    ['an address', '# requirements: x@https://evil.example/x.whl', /is no package/],
  ];
  for (const [what, code, message] of bad) {
    it(`refuses ${what}`, () => assert.throws(() => declaredInPython(code), { code: 'INVALID_INPUT', message }));
  }
});

describe('declaredInJavaScript()', () => {
  const cases: ReadonlyArray<readonly [sent: string, runs: string, expected: readonly string[]]> = [
    ["import a from 'npm:lodash@^4/fp';", "import a from 'lodash/fp';", ['lodash@^4']],
    ['import "npm:@scope/x@1";\nimport y from "npm:y"', 'import "@scope/x";\nimport y from "y"', ['@scope/x@1', 'y']],
    ["const x = await import('npm:/x@2')", "const x = await import('x')", ['x@2']],
    ["const x = require('npm:x')", "const x = require('x')", ['x']],
    [
      "import x from 'lodash/fp'; require('@a/b/c')",
      "import x from 'lodash/fp'; require('@a/b/c')",
      ['lodash', '@a/b'],
    ],
    [
      "import fs from 'fs'; import 'node:path'; import './x.js'; import '/y'",
      "import fs from 'fs'; import 'node:path'; import './x.js'; import '/y'",
      [],
    ],
    [
      "import { x } from 'mcp'; import 'https://h/x.js'; import '#a'",
      "import { x } from 'mcp'; import 'https://h/x.js'; import '#a'",
      [],
    ],
    ["console.log('npm:x')", "console.log('npm:x')", []],
    ["import 'Not A Name'", "import 'Not A Name'", []],
  ];
  for (const [sent, runs, expected] of cases) {
    it(`reads ${JSON.stringify(sent)}`, () => {
      const { wishes, code } = declaredInJavaScript(sent);
      assert.deepEqual(wishes.map(wishText), expected);
      assert.equal(code, runs);
    });
  }

  it('refuses what would not come from the registry', () => {
    for (const specifier of ['npm:../x', 'npm:x@file:y', 'npm:x@git+ssh:', 'npm:']) {
      assert.throws(() => declaredInJavaScript(`import '${specifier}'`), { code: 'INVALID_INPUT' }, specifier);
    }
  });
});
