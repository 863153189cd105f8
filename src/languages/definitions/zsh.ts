import type { CommandLanguage } from '../language.ts';

export const zsh: CommandLanguage = {
  id: 'zsh',
  name: 'Zsh',
  aliases: ['zshell', 'z-shell'],
  extensions: ['.zsh'],
  shebangs: ['zsh'],
  interpreter: 'command',
  entry: { file: 'main.zsh' },
  runtimes: [
    {
      tools: ['zsh'],
      version: { ask: ['--version'] },
      run: ['{tool}', '-f', '{entry}', '{args}'],
      check: [['{tool}', '-f', '-n', '{entry}']],
    },
  ],
  install: { apt: 'zsh', brew: 'zsh', dnf: 'zsh', apk: 'zsh' },
  similar: ['bash', 'fish'],
};
