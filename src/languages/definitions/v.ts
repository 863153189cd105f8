import type { CommandLanguage } from '../language.ts';

export const v: CommandLanguage = {
  id: 'v',
  name: 'V',
  aliases: ['vlang', 'v-lang', 'vsh'],
  extensions: ['.v', '.vsh'],
  shebangs: ['v'],
  interpreter: 'command',
  entry: { file: 'main.v' },
  included: ['.v'],
  runtimes: [
    {
      tools: ['v'],
      version: { ask: ['version'] },
      compile: [['{tool}', '-nocolor', '-o', '{out}/program', '{entry}']],
      run: ['{out}/program', '{args}'],
      check: [['{tool}', '-nocolor', '-check', '{entry}']],
    },
  ],
  env: { VMODULES: '/tmp/.sallyport/vmodules', VTMP: '/tmp/.sallyport/vtmp' },
  install: { brew: 'vlang', other: 'Install V from vlang.io' },
  similar: ['go', 'c', 'rust'],
};
