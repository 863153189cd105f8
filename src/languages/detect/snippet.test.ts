import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { modelineOf } from './modeline.ts';
import { CONFIDENT, guessSnippet } from './snippet.ts';

/** Short programs of our own, one or two per language: enough to see that each is in play. */
const PROGRAMS: ReadonlyArray<readonly [language: string, code: string]> = [
  ['python', 'def add(a, b):\n    return a + b\n\nif __name__ == "__main__":\n    print(add(1, 2))'],
  [
    'javascript',
    "const fs = require('fs');\nmodule.exports = function read(path) {\n  return fs.readFileSync(path, 'utf8');\n};",
  ],
  [
    'typescript',
    'export interface Point { x: number; y: number }\nexport const norm = (p: Point): number => Math.hypot(p.x, p.y);',
  ],
  ['bash', 'set -euo pipefail\nif [[ -z "${1:-}" ]]; then\n  echo "usage: $0 FILE" >&2\n  exit 2\nfi'],
  [
    'java',
    'import java.util.List;\npublic class Main {\n  public static void main(String[] args) {\n    System.out.println(List.of(1, 2));\n  }\n}',
  ],
  ['c', '#include <stdio.h>\nint main(void) {\n  int n = 3;\n  printf("%d\\n", n * 2);\n  return 0;\n}'],
  [
    'cpp',
    '#include <iostream>\n#include <vector>\nint main() {\n  std::vector<int> v{1, 2};\n  for (auto x : v) std::cout << x;\n}',
  ],
  [
    'csharp',
    'using System;\nusing System.Linq;\npublic static class Sums\n{\n    public static int Total(int[] xs) => xs.Sum();\n}',
  ],
  ['go', 'package main\n\nimport "fmt"\n\nfunc main() {\n\tfor i := 0; i < 3; i++ {\n\t\tfmt.Println(i)\n\t}\n}'],
  ['rust', 'pub fn total(xs: &[i32]) -> i32 {\n    let mut sum = 0;\n    for x in xs { sum += x; }\n    sum\n}'],
  [
    'ruby',
    'class Greeter\n  attr_reader :name\n  def initialize(name)\n    @name = name\n  end\n  def hi\n    puts "Hi #{@name}"\n  end\nend',
  ],
  ['php', '<?php\nfunction total(array $xs): int {\n    return array_sum($xs);\n}\necho total([1, 2]);'],
  [
    'kotlin',
    'data class Point(val x: Int, val y: Int)\n\nfun main() {\n    val p = Point(1, 2)\n    println("${p.x}")\n}',
  ],
  [
    'swift',
    'import Foundation\n\nfunc total(_ xs: [Int]) -> Int {\n    guard let first = xs.first else { return 0 }\n    return first\n}',
  ],
  ['r', 'total <- function(xs) {\n  sapply(xs, function(x) x^2)\n}\nprint(total(c(1, 2, 3)))'],
  [
    'lua',
    'local M = {}\nfunction M.total(xs)\n  local sum = 0\n  for _, x in ipairs(xs) do sum = sum + x end\n  return sum\nend\nreturn M',
  ],
  [
    'perl',
    'use strict;\nuse warnings;\nmy %seen;\nforeach my $word (@ARGV) {\n  next if $seen{$word}++;\n  print "$word\\n";\n}',
  ],
  ['raku', 'sub total(Int @xs --> Int) is export {\n    return [+] @xs;\n}\nfor 1..3 -> $i {\n    say $i.Str;\n}'],
  ['haskell', "module Total (total) where\n\nimport Data.List (foldl')\n\ntotal :: [Int] -> Int\ntotal = foldl' (+) 0"],
  [
    'ocaml',
    'let rec total = function\n  | [] -> 0\n  | x :: rest -> x + total rest\n\nlet () = Printf.printf "%d\\n" (total [1; 2])',
  ],
  [
    'fsharp',
    'module Total\n\nopen System\n\nlet total xs =\n    xs |> List.map (fun x -> x * 2) |> List.sum\n\nprintfn "%d" (total [ 1; 2 ])',
  ],
  ['elixir', 'defmodule Total do\n  def total(xs) do\n    xs |> Enum.map(&(&1 * 2)) |> Enum.sum()\n  end\nend'],
  ['erlang', '-module(total).\n-export([total/1]).\n\ntotal([]) -> 0;\ntotal([X | Rest]) -> X + total(Rest).'],
  ['clojure', '(ns total\n  (:require [clojure.string :as str]))\n\n(defn total [xs]\n  (reduce + 0 xs))'],
  ['lisp', '(defun total (xs)\n  (let ((sum 0))\n    (dolist (x xs sum)\n      (incf sum x))))'],
  ['racket', '#lang racket\n\n(provide total)\n\n(define (total xs)\n  (for/sum ([x xs]) x))'],
  [
    'scala',
    'object Total extends App {\n  def total(xs: List[Int]): Int = xs match {\n    case Nil => 0\n    case x :: rest => x + total(rest)\n  }\n}',
  ],
  ['groovy', 'def total(xs) {\n  xs.collect { it * 2 }.sum()\n}\nprintln "total ${total([1, 2])}"'],
  [
    'dart',
    "import 'dart:math';\n\nvoid main() {\n  final List<int> xs = [1, 2];\n  print(xs.fold<int>(0, (a, b) => a + b));\n}",
  ],
  [
    'julia',
    'function total(xs::Vector{Int})\n    sum = 0\n    for x in xs\n        sum += x\n    end\n    return sum\nend\nprintln(total([1, 2]))',
  ],
  [
    'nim',
    'import strutils, sequtils\n\nproc total(xs: seq[int]): int =\n  for x in xs:\n    result += x\n\necho total(@[1, 2])',
  ],
  ['crystal', 'def total(xs : Array(Int32)) : Int32\n  xs.sum\nend\n\nputs total([1, 2])'],
  [
    'zig',
    'const std = @import("std");\n\npub fn total(xs: []const u8) usize {\n    var sum: usize = 0;\n    for (xs) |x| sum += x;\n    return sum;\n}',
  ],
  ['d', 'import std.stdio;\n\nvoid main()\n{\n    foreach (i; 0 .. 3)\n        writeln(i);\n}'],
  [
    'fortran',
    'program total\n  implicit none\n  integer :: i, s\n  s = 0\n  do i = 1, 3\n    s = s + i\n  end do\n  print *, s\nend program total',
  ],
  [
    'pascal',
    'program Total;\nvar\n  i, s: integer;\nbegin\n  s := 0;\n  for i := 1 to 3 do\n    s := s + i;\n  writeln(s);\nend.',
  ],
  [
    'tcl',
    'proc total {xs} {\n    set sum 0\n    foreach x $xs {\n        incr sum $x\n    }\n    return $sum\n}\nputs [total {1 2}]',
  ],
  ['awk', 'BEGIN { FS = "," }\nNR > 1 { sum += $2 }\nEND { print sum / NR }'],
  [
    'prolog',
    ':- module(total, [total/2]).\n\ntotal([], 0).\ntotal([X|Rest], Sum) :-\n    total(Rest, S),\n    Sum is S + X.',
  ],
  ['powershell', 'param(\n    [string[]]$Names\n)\nforeach ($name in $Names) {\n    Write-Output "Hi $name"\n}'],
  [
    'coffeescript',
    'class Total\n  constructor: (@xs) ->\n  sum: -> @xs.reduce ((a, b) -> a + b), 0\n\nmodule.exports = Total',
  ],
  ['forth', ': square ( n -- n*n ) dup * ;\n: cube ( n -- n*n*n ) dup square * ;\n3 cube . cr'],
  ['sql', 'CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT);\nSELECT name, COUNT(*) FROM t GROUP BY name;'],
  [
    'cobol',
    '       IDENTIFICATION DIVISION.\n       PROGRAM-ID. HI.\n       PROCEDURE DIVISION.\n           DISPLAY "HI".\n           STOP RUN.',
  ],
  ['ada', 'with Ada.Text_IO; use Ada.Text_IO;\nprocedure Hi is\nbegin\n   Put_Line ("Hi");\nend Hi;'],
];

describe('guessSnippet()', () => {
  for (const [language, code] of PROGRAMS) {
    it(`knows ${language} and is sure`, async () => {
      const { candidates } = await guessSnippet(code);
      assert.equal(candidates[0]?.language, language);
      assert.ok((candidates[0]?.confidence ?? 0) >= CONFIDENT, JSON.stringify(candidates.slice(0, 3)));
    });
  }

  it('gives confidences that add up to 1', async () => {
    const { candidates } = await guessSnippet('x');
    const sum = candidates.reduce((total, { confidence }) => total + confidence, 0);
    assert.ok(Math.abs(sum - 1) < 1e-9);
  });

  it('is unsure of prose, of nothing and of noise', async () => {
    for (const text of ['', 'The quick brown fox jumps over the lazy dog.', '%%%% ???? ,,,,', '\0\u{1F600}']) {
      const [best] = (await guessSnippet(text)).candidates;
      assert.ok((best?.confidence ?? 1) < CONFIDENT, `${JSON.stringify(text)}: ${JSON.stringify(best)}`);
    }
  });

  it('says why', async () => {
    const guess = await guessSnippet('package main\n\nimport "fmt"\n\nfunc main() { fmt.Println(1) }');
    assert.ok(guess.reasons('go').includes('package name'));
  });

  it('is not slowed down by texts made to be slow', async () => {
    const parts = [
      'a',
      '(',
      'def a\n',
      'function a\n',
      ' ',
      'x\n\n',
      ': a ',
      'let a = [1;',
      '.',
      "'a' ",
      'fn a(b',
      'class A\n',
    ];
    for (const part of [
      ...parts,
      'struct A\n',
      '${a',
      'when (',
      '  if x\n',
      'a {\n',
      'case a\n',
      'begin\n',
      'then\n',
    ]) {
      const start = performance.now();
      await guessSnippet(part.repeat(Math.ceil(1_000_000 / part.length)));
      const ms = performance.now() - start;
      assert.ok(ms < 1_000, `${JSON.stringify(part)} took ${ms} ms`);
    }
  });
});

describe('modelineOf()', () => {
  const cases: ReadonlyArray<readonly [text: string, expected: string | undefined]> = [
    ['# -*- mode: ruby -*-\nx', 'ruby'],
    ['-- -*- coding: utf-8; mode: lua; x: 1 -*-', 'lua'],
    ['% -*- Prolog -*-\nx', 'prolog'],
    ['# -*- coding: utf-8 -*-\nx', undefined],
    ['x\n# vim: ft=perl6', 'perl6'],
    ['x\n# vim: set sw=2 ts=2 filetype=sh:', 'sh'],
    [`${'x\n'.repeat(20)}# vim: ft=sh\n${'x\n'.repeat(20)}`, undefined],
    ['x', undefined],
  ];
  for (const [text, expected] of cases) {
    it(`reads ${JSON.stringify(text.slice(0, 50))}`, () => assert.equal(modelineOf(text), expected));
  }
});
