import type { CommandLanguage } from '../language.ts';

export const haskell: CommandLanguage = {
  id: 'haskell',
  name: 'Haskell',
  aliases: ['hs', 'ghc', 'runhaskell', 'lhs'],
  extensions: ['.hs', '.lhs'],
  shebangs: ['runhaskell', 'runghc', 'stack'],
  interpreter: 'command',
  entry: { file: 'main.hs' },
  included: ['.hs', '.lhs'],
  names: { module: { find: [String.raw`^module\s+([\w.]+)`], otherwise: 'Main' } },
  runtimes: [
    {
      tools: ['ghc'],
      version: { ask: ['--version'] },
      compile: [
        ['{tool}', '-v1', '-outputdir', '{out}/objects', '-o', '{out}/program', '-main-is', '{module}', '{entry}'],
      ],
      run: ['{out}/program', '{args}'],
      check: [['{tool}', '-v1', '-fno-code', '-outputdir', '{out}', '-main-is', '{module}', '{entry}']],
    },
  ],
  noise: [String.raw`\[\s*\d+ of \d+\] Compiling .*`, 'Linking .*', String.raw`\[\s*\d+ of \d+\] Linking .*`],
  install: { apt: 'ghc', brew: 'ghc', dnf: 'ghc', apk: 'ghc' },
  similar: ['ocaml', 'fsharp', 'scala'],
};
