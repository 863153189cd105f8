import type { CommandLanguage } from '../language.ts';

export const fortran: CommandLanguage = {
  id: 'fortran',
  name: 'Fortran',
  aliases: ['f90', 'f95', 'f03', 'f08', 'gfortran', 'fortran90', 'fortran77', 'f77', 'for'],
  extensions: ['.f90', '.f95', '.f03', '.f08', '.f', '.for'],
  shebangs: [],
  interpreter: 'command',
  entry: { file: 'main.f90' },
  sources: ['.f90', '.f95', '.f', '.for'],
  runtimes: ['gfortran', 'flang'].map((tool) => ({
    tools: [tool],
    version: { ask: ['--version'] },
    compile: [['{tool}', '-O1', '-J', '{out}', '-o', '{out}/program', '{others}', '{entry}']],
    run: ['{out}/program', '{args}'],
    check: [['{tool}', '-fsyntax-only', '-J', '{out}', '{others}', '{entry}']],
  })),
  install: { apt: 'gfortran', brew: 'gcc', dnf: 'gcc-gfortran', apk: 'gfortran' },
  similar: ['c', 'julia', 'octave'],
};
