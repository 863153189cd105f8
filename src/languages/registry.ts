/** Lookup of languages by name, file name and `#!` line. */
import { AppError } from '#contracts/errors';
import { ada } from './definitions/ada.ts';
import { applescript } from './definitions/applescript.ts';
import { assembly } from './definitions/assembly.ts';
import { autohotkey } from './definitions/autohotkey.ts';
import { autoit } from './definitions/autoit.ts';
import { awk } from './definitions/awk.ts';
import { bash } from './definitions/bash.ts';
import { bat } from './definitions/bat.ts';
import { bun } from './definitions/bun.ts';
import { c } from './definitions/c.ts';
import { clojure } from './definitions/clojure.ts';
import { cobol } from './definitions/cobol.ts';
import { coffeescript } from './definitions/coffeescript.ts';
import { cpp } from './definitions/cpp.ts';
import { crystal } from './definitions/crystal.ts';
import { csharp } from './definitions/csharp.ts';
import { d } from './definitions/d.ts';
import { dart } from './definitions/dart.ts';
import { deno } from './definitions/deno.ts';
import { elixir } from './definitions/elixir.ts';
import { erlang } from './definitions/erlang.ts';
import { fish } from './definitions/fish.ts';
import { forth } from './definitions/forth.ts';
import { fortran } from './definitions/fortran.ts';
import { fsharp } from './definitions/fsharp.ts';
import { go } from './definitions/go.ts';
import { groovy } from './definitions/groovy.ts';
import { haskell } from './definitions/haskell.ts';
import { java } from './definitions/java.ts';
import { javascript } from './definitions/javascript.ts';
import { julia } from './definitions/julia.ts';
import { kit } from './definitions/kit.ts';
import { kotlin } from './definitions/kotlin.ts';
import { lisp } from './definitions/lisp.ts';
import { lua } from './definitions/lua.ts';
import { nim } from './definitions/nim.ts';
import { ocaml } from './definitions/ocaml.ts';
import { octave } from './definitions/octave.ts';
import { pascal } from './definitions/pascal.ts';
import { perl } from './definitions/perl.ts';
import { php } from './definitions/php.ts';
import { powershell } from './definitions/powershell.ts';
import { prolog } from './definitions/prolog.ts';
import { python } from './definitions/python.ts';
import { r } from './definitions/r.ts';
import { racket } from './definitions/racket.ts';
import { raku } from './definitions/raku.ts';
import { ruby } from './definitions/ruby.ts';
import { rust } from './definitions/rust.ts';
import { sass } from './definitions/sass.ts';
import { scala } from './definitions/scala.ts';
import { scheme } from './definitions/scheme.ts';
import { scss } from './definitions/scss.ts';
import { smalltalk } from './definitions/smalltalk.ts';
import { sql } from './definitions/sql.ts';
import { swift } from './definitions/swift.ts';
import { tcl } from './definitions/tcl.ts';
import { typescript } from './definitions/typescript.ts';
import { v } from './definitions/v.ts';
import { vbscript } from './definitions/vbscript.ts';
import { verilog } from './definitions/verilog.ts';
import { zig } from './definitions/zig.ts';
import { zsh } from './definitions/zsh.ts';
import type { CommandLanguage, LanguageDefinition, LiveLanguage } from './language.ts';

/** In the order in which a program without a named language is tried. */
export const LIVE_LANGUAGES: readonly LiveLanguage[] = [python, javascript, typescript, bash];

export const COMMAND_LANGUAGES: readonly CommandLanguage[] = [
  ada,
  applescript,
  assembly,
  autohotkey,
  autoit,
  awk,
  bat,
  bun,
  c,
  clojure,
  cobol,
  coffeescript,
  cpp,
  crystal,
  csharp,
  d,
  dart,
  deno,
  elixir,
  erlang,
  fish,
  forth,
  fortran,
  fsharp,
  go,
  groovy,
  haskell,
  java,
  julia,
  kit,
  kotlin,
  lisp,
  lua,
  nim,
  ocaml,
  octave,
  pascal,
  perl,
  php,
  powershell,
  prolog,
  r,
  racket,
  raku,
  ruby,
  rust,
  sass,
  scala,
  scheme,
  scss,
  smalltalk,
  sql,
  swift,
  tcl,
  v,
  vbscript,
  verilog,
  zig,
  zsh,
];

export const LANGUAGES: readonly LanguageDefinition[] = [...LIVE_LANGUAGES, ...COMMAND_LANGUAGES];

const byName = new Map<string, LanguageDefinition>();
for (const language of LANGUAGES) {
  for (const name of [language.id, ...language.aliases]) byName.set(name, language);
}

export function findLanguage(name: string): LanguageDefinition | undefined {
  return byName.get(name.trim().toLowerCase());
}

/** The language of this name, or an error that names the nearest ones. */
export function requireLanguage(name: string): LanguageDefinition {
  const language = findLanguage(name);
  if (language) return language;
  throw new AppError('LANGUAGE_UNKNOWN', `Unknown language "${name.slice(0, 40)}"`, {
    hint: `Use one of: ${nearestNames(name).join(', ')} (sallyport languages lists all); or leave "language" out`,
  });
}

export function languageOfFile(fileName: string): LanguageDefinition | undefined {
  const lower = fileName.toLowerCase();
  return LANGUAGES.find((language) => language.extensions.some((extension) => lower.endsWith(extension)));
}

/** Reads `#!/usr/bin/env -S python3 -u` and its like. */
export function languageOfShebang(code: string): LanguageDefinition | undefined {
  const line = /^#!\s*(.*)$/m.exec(code.split('\n', 1)[0] ?? '')?.[1];
  if (line === undefined) return undefined;
  const programs = line.split(/\s+/).map((word) => (word.split('/').pop() ?? '').replace(/[\d.]+$/, ''));
  return LANGUAGES.find((language) =>
    programs.some((program) => language.shebangs.includes(program) || language.id === program),
  );
}

/** More are no help to who mistyped one. */
const NAMED_MAX = 5;

/** Those whose names are almost this one; the commonest where there are none. */
function nearestNames(name: string): string[] {
  const wanted = name.trim().toLowerCase().slice(0, 40);
  const distance = (language: LanguageDefinition) =>
    Math.min(...[language.id, ...language.aliases].map((known) => editDistance(wanted, known)));
  const near = LANGUAGES.map((language) => ({ id: language.id, distance: distance(language) }))
    .filter((entry) => entry.distance <= Math.ceil(wanted.length / 3))
    .sort((a, b) => a.distance - b.distance);
  return (near.length > 0 ? near : LIVE_LANGUAGES).slice(0, NAMED_MAX).map(({ id }) => id);
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
