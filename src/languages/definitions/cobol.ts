import type { CommandLanguage } from '../language.ts';

export const cobol: CommandLanguage = {
  id: 'cobol',
  name: 'COBOL',
  aliases: ['cob', 'cbl', 'cobc', 'gnucobol', 'opencobol', 'cpy'],
  extensions: ['.cob', '.cbl'],
  shebangs: [],
  interpreter: 'command',
  entry: { file: 'main.cob' },
  included: ['.cpy', '.cbl', '.cob'],
  // In the fixed format the first seven columns are not code.
  names: { format: { find: [String.raw`^ {0,6}(?:identification|id) +division`], use: '-free', otherwise: '-fixed' } },
  runtimes: [
    {
      tools: ['cobc'],
      version: { ask: ['--version'] },
      compile: [['{tool}', '-x', '{format}', '-o', '{out}/program', '{entry}']],
      run: ['{out}/program', '{args}'],
      check: [['{tool}', '-fsyntax-only', '{format}', '{entry}']],
    },
  ],
  install: { apt: 'gnucobol3', brew: 'gnucobol', dnf: 'gnucobol', apk: 'gnucobol' },
  similar: ['pascal', 'fortran'],
};
