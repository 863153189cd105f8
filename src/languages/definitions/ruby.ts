import type { CommandLanguage } from '../language.ts';

export const ruby: CommandLanguage = {
  id: 'ruby',
  name: 'Ruby',
  aliases: ['rb', 'irb', 'jruby'],
  extensions: ['.rb', '.rake', '.gemspec'],
  shebangs: ['ruby', 'jruby'],
  interpreter: 'command',
  entry: { file: 'main.rb' },
  runtimes: [
    {
      tools: ['ruby'],
      version: { ask: ['--version'] },
      run: ['{tool}', '{entry}', '{args}'],
      check: [['{tool}', '-c', '{entry}']],
    },
  ],
  install: { apt: 'ruby', brew: 'ruby', dnf: 'ruby', apk: 'ruby', winget: 'RubyInstallerTeam.Ruby.3.4' },
  similar: ['python', 'perl', 'crystal'],
};
