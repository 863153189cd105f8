import type { CommandLanguage } from '../language.ts';

export const raku: CommandLanguage = {
  id: 'raku',
  name: 'Raku',
  aliases: ['perl6', 'p6', 'rakudo', 'pl6'],
  extensions: ['.raku', '.rakumod', '.p6', '.pl6'],
  shebangs: ['raku', 'perl6', 'rakudo'],
  interpreter: 'command',
  entry: { file: 'main.raku' },
  runtimes: ['raku', 'perl6', 'rakudo'].map((tool) => ({
    tools: [tool],
    version: { ask: ['--version'] },
    run: ['{tool}', '{entry}', '{args}'],
    check: [['{tool}', '-c', '{entry}']],
  })),
  diagnostics: [String.raw`^(?<message>[^\n]+)\nat (?<file>\S+):(?<line>\d+)`],
  install: { apt: 'rakudo', brew: 'rakudo', dnf: 'rakudo', winget: 'Rakudo.Rakudo' },
  similar: ['perl', 'ruby'],
};
