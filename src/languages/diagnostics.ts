/** Where a compiler says that the error is. Each has its own words for it; these are the forms that most of them use. */
import type { CommandLanguage } from './language.ts';

export interface Diagnostic {
  readonly line: number | undefined;
  readonly column: number | undefined;
  readonly message: string;
}

const PLACE = String.raw`(?<file>[^\s:(){}'"]+):(?<line>\d+)(?::(?<column>\d+))?`;

/** In this order: a form that says "error" goes before one that may be a warning or a remark. */
const COMMON_FORMS = [
  // gcc, clang, javac, nasm, cobc, kotlinc, scalac, coffee
  String.raw`^${PLACE}(?:-\d+)?: ?(?:fatal )?error:? *(?:\[[\w-]+\] *)?\n? *(?<message>[^\n]+)`,
  // rustc
  String.raw`^error(?:\[\w+\])?: (?<message>[^\n]+)\n *--> ${PLACE}`,
  // gfortran
  String.raw`^${PLACE}:\n(?:[^\n]*\n){1,4}?(?:Fatal )?Error: (?<message>[^\n]+)`,
  // mcs, fpc, nim, ldc2
  String.raw`^(?<file>[^\s:(]+)\((?<line>\d+)(?:, ?(?<column>\d+))?\):? ?(?:Fatal|Error|error)\b:?(?: \w+\d+:)? ?(?<message>[^\n]+)`,
  // ocaml
  String.raw`^File "(?<file>[^"]+)", lines? (?<line>\d+)(?:-\d+)?, characters (?<column>\d+)-\d+:\n(?:[^\n]*\n){0,8}?Error: (?<message>[^\n]+)`,
  // perl, php
  String.raw`^(?<message>[^\n]+?) (?:at|in) (?<file>[^\s]+?)(?: on)? line (?<line>\d+)`,
  // go, lua, ruby, R, erlang, elixir, guile, racket, zsh and many others
  String.raw`^(?:[\w.()* -]+[:)] )?(?:\./)?${PLACE}: *(?<message>[^\n]+)`,
  // fish, sqlite3
  String.raw`(?<file>)\(?(?:near )?line (?<line>\d+)(?:, col(?:umn)? (?<column>\d+))?\)?: *(?<message>[^\n]+)`,
];

/** The first error that the output tells of. */
export function firstDiagnostic(
  { diagnostics = [] }: Pick<CommandLanguage, 'diagnostics'>,
  output: string,
): Diagnostic {
  for (const form of [...diagnostics, ...COMMON_FORMS]) {
    const groups = new RegExp(form, 'mu').exec(output)?.groups;
    if (groups)
      return { line: number(groups.line), column: number(groups.column), message: groups.message?.trim() ?? '' };
  }
  return { line: undefined, column: undefined, message: output.trim().split('\n', 1)[0] ?? '' };
}

function number(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}
