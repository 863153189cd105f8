import type { CommandLanguage } from '../language.ts';

export const bun: CommandLanguage = {
  id: 'bun',
  name: 'Bun',
  aliases: ['bunjs'],
  extensions: ['.bun.ts'],
  shebangs: ['bun'],
  interpreter: 'command',
  entry: { file: 'main.ts' },
  runtimes: [
    {
      tools: ['bun'],
      version: { ask: ['--version'] },
      run: ['{tool}', 'run', '--no-install', '{entry}', '{args}'],
      check: [['{tool}', 'build', '--no-bundle', '{entry}']],
    },
  ],
  env: { NO_COLOR: '1', DO_NOT_TRACK: '1' },
  install: { brew: 'oven-sh/bun/bun', npm: 'bun', winget: 'Oven-sh.Bun' },
  similar: ['typescript', 'javascript', 'deno'],
};
