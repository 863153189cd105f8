import type { CommandLanguage } from '../language.ts';

export const perl: CommandLanguage = {
  id: 'perl',
  name: 'Perl',
  aliases: ['pl', 'perl5'],
  extensions: ['.pl', '.pm'],
  shebangs: ['perl'],
  interpreter: 'command',
  entry: { file: 'main.pl' },
  runtimes: [
    {
      tools: ['perl'],
      version: { ask: ['-e', 'print "$^V"'], find: String.raw`v([\d.]+)` },
      run: ['{tool}', '{entry}', '{args}'],
      check: [['{tool}', '-c', '{entry}']],
    },
  ],
  install: { apt: 'perl', brew: 'perl', dnf: 'perl', apk: 'perl', winget: 'StrawberryPerl.StrawberryPerl' },
  similar: ['raku', 'ruby', 'python'],
};
