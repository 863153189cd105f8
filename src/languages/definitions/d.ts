import type { CommandLanguage } from '../language.ts';

export const d: CommandLanguage = {
  id: 'd',
  name: 'D',
  aliases: ['dlang', 'dmd', 'ldc', 'ldc2', 'gdc', 'rdmd'],
  extensions: ['.d'],
  shebangs: ['rdmd', 'dub'],
  interpreter: 'command',
  entry: { file: 'main.d' },
  sources: ['.d'],
  runtimes: [
    {
      tools: ['ldc2'],
      version: { ask: ['--version'] },
      compile: [['{tool}', '-od={out}', '-of={out}/program', '{sources}']],
      run: ['{out}/program', '{args}'],
      check: [['{tool}', '-o-', '{sources}']],
    },
    {
      tools: ['dmd'],
      version: { ask: ['--version'] },
      compile: [['{tool}', '-od={out}', '-of={out}/program', '{sources}']],
      run: ['{out}/program', '{args}'],
      check: [['{tool}', '-o-', '{sources}']],
    },
    {
      tools: ['gdc'],
      version: { ask: ['--version'] },
      compile: [['{tool}', '-o', '{out}/program', '{sources}']],
      run: ['{out}/program', '{args}'],
      check: [['{tool}', '-fsyntax-only', '{sources}']],
    },
  ],
  install: { apt: 'ldc', brew: 'ldc', dnf: 'ldc', apk: 'ldc', winget: 'Dlang.LDC' },
  similar: ['cpp', 'rust', 'c'],
};
