import type { CommandLanguage } from '../language.ts';

export const scheme: CommandLanguage = {
  id: 'scheme',
  name: 'Scheme',
  aliases: ['scm', 'ss', 'guile', 'chicken', 'chez', 'csi', 'chibi', 'gambit'],
  extensions: ['.scm', '.ss', '.sld'],
  shebangs: ['guile', 'csi', 'chibi-scheme', 'gsi', 'scheme'],
  interpreter: 'command',
  entry: { file: 'main.scm' },
  runtimes: [
    {
      tools: ['guile'],
      version: { ask: ['--version'] },
      run: ['{tool}', '--no-auto-compile', '-s', '{entry}', '{args}'],
      check: [
        [
          '{tool}',
          '--no-auto-compile',
          '-c',
          '(with-input-from-file "{entry}" (lambda () (set-port-filename! (current-input-port) "{entry}") (let loop ((x (read))) (if (eof-object? x) 0 (loop (read))))))',
        ],
      ],
    },
    { tools: ['csi'], version: { ask: ['-version'] }, run: ['{tool}', '-script', '{entry}', '{args}'] },
    { tools: ['chezscheme'], version: { ask: ['--version'] }, run: ['{tool}', '--script', '{entry}', '{args}'] },
    { tools: ['chibi-scheme'], version: { ask: ['-V'] }, run: ['{tool}', '{entry}', '{args}'] },
    { tools: ['gosh'], version: { ask: ['-V'] }, run: ['{tool}', '{entry}', '{args}'] },
  ],
  diagnostics: [String.raw`^(?!ice-9)(?:\S*/)?(?<file>[\w.-]+):(?<line>\d+):(?<column>\d+): (?<message>[^\n]+)`],
  install: { apt: 'guile-3.0', brew: 'guile', dnf: 'guile30', apk: 'guile' },
  similar: ['racket', 'lisp', 'clojure'],
};
