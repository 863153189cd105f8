import type { CommandLanguage } from '../language.ts';

export const rust: CommandLanguage = {
  id: 'rust',
  name: 'Rust',
  aliases: ['rs', 'rustc', 'rust-lang'],
  extensions: ['.rs'],
  shebangs: ['rust-script'],
  interpreter: 'command',
  entry: { file: 'main.rs' },
  included: ['.rs'],
  runtimes: [
    {
      tools: ['rustc'],
      version: { ask: ['--version'] },
      compile: [['{tool}', '--edition=2021', '-Copt-level=1', '-Cdebuginfo=0', '-o', '{out}/program', '{entry}']],
      run: ['{out}/program', '{args}'],
      check: [['{tool}', '--edition=2021', '--emit=metadata', '-o', '{out}/program.rmeta', '{entry}']],
    },
  ],
  install: { apt: 'rustc', brew: 'rust', dnf: 'rust', apk: 'rust', winget: 'Rustlang.Rust.MSVC' },
  similar: ['cpp', 'c', 'go'],
};
