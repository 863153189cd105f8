import type { CommandLanguage } from '../language.ts';

export const nim: CommandLanguage = {
  id: 'nim',
  name: 'Nim',
  aliases: ['nimrod', 'nims'],
  extensions: ['.nim', '.nims'],
  shebangs: ['nim'],
  interpreter: 'command',
  entry: { file: 'main.nim' },
  included: ['.nim', '.cfg', '.nims'],
  runtimes: [
    {
      tools: ['nim'],
      version: { ask: ['--version'] },
      compile: [
        [
          '{tool}',
          'compile',
          '--hints:off',
          '--verbosity:0',
          '--nimcache:{out}/cache',
          '--out:{out}/program',
          '{entry}',
        ],
      ],
      run: ['{out}/program', '{args}'],
      check: [['{tool}', 'check', '--hints:off', '--verbosity:0', '{entry}']],
    },
  ],
  install: { apt: 'nim', brew: 'nim', dnf: 'nim', apk: 'nim', winget: 'nim.nim' },
  similar: ['python', 'crystal', 'c'],
};
