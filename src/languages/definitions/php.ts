import type { CommandLanguage } from '../language.ts';

export const php: CommandLanguage = {
  id: 'php',
  name: 'PHP',
  aliases: ['php8', 'php7', 'php-cli'],
  extensions: ['.php', '.phtml'],
  shebangs: ['php'],
  interpreter: 'command',
  entry: { file: 'main.php' },
  runtimes: [
    {
      tools: ['php'],
      version: { ask: ['--version'] },
      run: ['{tool}', '-d', 'display_errors=stderr', '-d', 'log_errors=0', '{entry}', '{args}'],
      check: [['{tool}', '-d', 'display_errors=stderr', '-d', 'log_errors=0', '-l', '{entry}']],
    },
  ],
  install: { apt: 'php-cli', brew: 'php', dnf: 'php-cli', apk: 'php84', winget: 'PHP.PHP.8.4' },
  similar: ['python', 'perl', 'javascript'],
};
