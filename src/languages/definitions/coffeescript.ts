import type { CommandLanguage } from '../language.ts';

export const coffeescript: CommandLanguage = {
  id: 'coffeescript',
  name: 'CoffeeScript',
  aliases: ['coffee', 'coffee-script', 'cson', 'iced'],
  extensions: ['.coffee', '.litcoffee'],
  shebangs: ['coffee'],
  interpreter: 'command',
  entry: { file: 'main.coffee' },
  runtimes: [
    {
      tools: ['coffee'],
      version: { ask: ['--version'] },
      run: ['{tool}', '{entry}', '{args}'],
      check: [['{tool}', '--compile', '--print', '{entry}']],
    },
  ],
  install: { apt: 'coffeescript', npm: 'coffeescript' },
  similar: ['javascript', 'typescript'],
};
