import type { CommandLanguage } from '../language.ts';

export const lisp: CommandLanguage = {
  id: 'lisp',
  name: 'Common Lisp',
  aliases: ['common-lisp', 'commonlisp', 'sbcl', 'cl', 'clisp', 'ecl'],
  extensions: ['.lisp', '.lsp', '.cl'],
  shebangs: ['sbcl', 'clisp', 'ecl'],
  interpreter: 'command',
  entry: { file: 'main.lisp' },
  runtimes: [
    {
      tools: ['sbcl'],
      version: { ask: ['--version'] },
      run: ['{tool}', '--dynamic-space-size', '{heap}MB', '--script', '{entry}', '{args}'],
      check: [['{tool}', '--dynamic-space-size', '{heap}MB', '--script', '{tools}/check.lisp', '{entry}']],
    },
    { tools: ['clisp'], version: { ask: ['--version'] }, run: ['{tool}', '{entry}', '{args}'] },
    { tools: ['ecl'], version: { ask: ['--version'] }, run: ['{tool}', '--shell', '{entry}', '{args}'] },
  ],
  install: { apt: 'sbcl', brew: 'sbcl', dnf: 'sbcl', apk: 'sbcl', winget: 'SBCL.SBCL' },
  similar: ['scheme', 'racket', 'clojure'],
};
