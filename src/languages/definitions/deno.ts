import type { CommandLanguage } from '../language.ts';

export const deno: CommandLanguage = {
  id: 'deno',
  name: 'Deno',
  aliases: ['deno-ts'],
  extensions: ['.deno.ts'],
  shebangs: ['deno'],
  interpreter: 'command',
  entry: { file: 'main.ts' },
  runtimes: [
    {
      tools: ['deno'],
      version: { ask: ['--version'] },
      run: ['{tool}', 'run', '--allow-all', '--no-prompt', '--quiet', '{entry}', '{args}'],
      check: [['{tool}', 'check', '--quiet', '{entry}']],
    },
  ],
  env: { DENO_DIR: '/tmp/.sallyport/deno', DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' },
  install: { brew: 'deno', npm: 'deno', winget: 'DenoLand.Deno' },
  similar: ['typescript', 'javascript', 'bun'],
};
