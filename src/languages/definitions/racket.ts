import type { CommandLanguage } from '../language.ts';

export const racket: CommandLanguage = {
  id: 'racket',
  name: 'Racket',
  aliases: ['rkt'],
  extensions: ['.rkt', '.rktl'],
  shebangs: ['racket'],
  interpreter: 'command',
  entry: { file: 'main.rkt' },
  runtimes: [
    {
      tools: ['racket'],
      version: { ask: ['--version'] },
      run: ['{tool}', '{entry}', '{args}'],
      check: [
        [
          '{tool}',
          '-I',
          'racket/base',
          '-e',
          '(parameterize ([read-accept-reader #t] [read-accept-lang #t]) (call-with-input-file "{entry}" (lambda (p) (port-count-lines! p) (let loop () (unless (eof-object? (read-syntax "{entry}" p)) (loop))))))',
        ],
      ],
    },
  ],
  install: { apt: 'racket', brew: 'minimal-racket', dnf: 'racket', apk: 'racket', winget: 'Racket.Racket' },
  similar: ['scheme', 'lisp', 'clojure'],
};
