import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { firstDiagnostic } from './diagnostics.ts';
import { findLanguage } from './registry.ts';

const cases: ReadonlyArray<
  readonly [language: string, said: string, line: number, column: number | undefined, message: RegExp]
> = [
  ['c', 'main.c: In function ‘main’:\nmain.c:4:14: error: expected expression before ‘;’ token\n', 4, 14, /^expected/],
  ['c', 'main.c:2:3: warning: unused\nmain.c:9:1: error: no\n', 9, 1, /^no$/],
  ['rust', 'warning: x\n --> main.rs:1:1\nerror[E0425]: cannot find\n --> main.rs:4:5\n', 4, 5, /^cannot find$/],
  ['go', './main.go:4:2: declared and not used: x\n', 4, 2, /^declared/],
  ['java', 'Main.java:4: error: incompatible types\n', 4, undefined, /^incompatible/],
  ['csharp', 'main.cs(4,16): error CS0029: Cannot convert\n', 4, 16, /^Cannot convert$/],
  ['pascal', 'main.pas(4,11) Error: Identifier not found "oops"\n', 4, 11, /^Identifier/],
  ['fortran', "main.f90:4:10:\n\n    4 |   a = oops\n      |          1\nError: Symbol 'oops'\n", 4, 10, /^Symbol/],
  ['ocaml', 'File "main.ml", line 4, characters 17-23:\n4 | let\n     ^^^\nError: This expression\n', 4, 17, /^This/],
  ['haskell', 'main.hs:4:12: error: Variable not in scope: oops\n', 4, 12, /^Variable/],
  ['perl', 'syntax error at main.pl line 4, near "oops )"\n', 4, undefined, /^syntax error/],
  ['php', 'PHP Parse error:  syntax error in main.php on line 4\n', 4, undefined, /syntax error/],
  ['lua', 'main.lua:4: unexpected symbol\n', 4, undefined, /^unexpected/],
  ['ruby', "main.rb:4: syntax error, unexpected ')'\n", 4, undefined, /^syntax error/],
  ['scss', 'Error: Undefined variable.\n  ╷\n4 │   oops\n  ╵\n  main.scss 4:9  root stylesheet\n', 4, 9, /^Undefined/],
];

describe('firstDiagnostic()', () => {
  for (const [id, said, line, column, message] of cases) {
    it(`finds the place in ${JSON.stringify(said.slice(0, 60))}`, () => {
      const language = findLanguage(id);
      assert.ok(language?.interpreter === 'command');
      const found = firstDiagnostic(language, said);
      assert.deepEqual({ line: found.line, column: found.column }, { line, column });
      assert.match(found.message, message);
    });
  }

  it('gives the first line where there is no place', () => {
    assert.deepEqual(firstDiagnostic({}, 'no memory\nmore\n'), {
      line: undefined,
      column: undefined,
      message: 'no memory',
    });
  });
});
