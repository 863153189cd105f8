import type { CommandLanguage } from '../language.ts';

export const fish: CommandLanguage = {
  id: 'fish',
  name: 'Fish',
  aliases: ['fishshell', 'fish-shell'],
  extensions: ['.fish'],
  shebangs: ['fish'],
  interpreter: 'command',
  entry: { file: 'main.fish' },
  runtimes: [
    {
      tools: ['fish'],
      version: { ask: ['--version'] },
      run: ['{tool}', '--no-config', '{entry}', '{args}'],
      check: [['{tool}', '--no-config', '--no-execute', '{entry}']],
    },
  ],
  install: { apt: 'fish', brew: 'fish', dnf: 'fish', apk: 'fish', winget: 'fish-shell.fish' },
  similar: ['bash', 'zsh'],
};
