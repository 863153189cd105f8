import type { CommandLanguage } from '../language.ts';

export const ocaml: CommandLanguage = {
  id: 'ocaml',
  name: 'OCaml',
  aliases: ['ml', 'ocamlopt', 'reasonml'],
  extensions: ['.ml'],
  shebangs: ['ocaml'],
  interpreter: 'command',
  entry: { file: 'main.ml' },
  sources: ['.ml'],
  sourcesBeside: true,
  included: ['.mli'],
  runtimes: [
    {
      tools: ['ocamlopt'],
      version: { ask: ['-version'] },
      copies: true,
      compile: [
        [
          '{tool}',
          '-w',
          '-a',
          '-I',
          '+unix',
          '-I',
          '+str',
          'unix.cmxa',
          'str.cmxa',
          '-o',
          'program',
          '{others}',
          '{entry}',
        ],
      ],
      run: ['{out}/program', '{args}'],
      check: [['ocamlc', '-w', '-a', '-I', '+unix', '-I', '+str', '-c', '{others}', '{entry}']],
    },
    { tools: ['ocaml'], version: { ask: ['-version'] }, run: ['{tool}', '{entry}', '{args}'] },
  ],
  install: { apt: 'ocaml-nox', brew: 'ocaml', dnf: 'ocaml', apk: 'ocaml' },
  similar: ['fsharp', 'haskell', 'rust'],
};
