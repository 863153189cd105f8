import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COMMAND_LANGUAGES, findLanguage, LANGUAGES } from './registry.ts';

/** What PRODUCT asks for, by the names that people use. */
const ASKED_FOR =
  `javascript php python perl raku perl6 ruby go lua groovy powershell bat cmd bash sh f# c# vbscript typescript
  coffeescript scala swift julia crystal ocaml r applescript elixir clojure racket scheme autohotkey ahk autoit kotlin dart haskell
  nim lisp kit v sass scss c c++ rust java zig d fortran pascal ada cobol erlang prolog tcl awk sql sqlite octave assembly forth
  smalltalk verilog zsh fish deno bun shellscript fsharp csharp nasm vlang gawk rscript sqlite3 iverilog`.split(/\s+/);

describe('the list of languages', () => {
  for (const name of ASKED_FOR) it(`knows ${name}`, () => assert.ok(findLanguage(name)));

  it('has every name once', () => {
    const names = LANGUAGES.flatMap(({ id, aliases }) => [id, ...aliases]);
    const twice = names.filter((name, index) => names.indexOf(name) !== index);
    assert.deepEqual(twice, []);
    assert.deepEqual(
      names.filter((name) => name !== name.toLowerCase()),
      [],
    );
  });

  it('names only languages that there are as substitutes', () => {
    const ids = new Set(LANGUAGES.map(({ id }) => id));
    const strangers = COMMAND_LANGUAGES.flatMap(({ similar }) => similar.filter((id) => !ids.has(id)));
    assert.deepEqual(strangers, []);
  });

  it('tells how each can be had, and how its version is asked for', () => {
    for (const { id, install, runtimes } of COMMAND_LANGUAGES) {
      assert.ok(Object.keys(install).length > 0, id);
      for (const { tools, run, version } of runtimes) {
        assert.ok(tools.length > 0 && run.length > 0 && (version.ask.length > 0 || version.input), id);
      }
    }
  });
});
