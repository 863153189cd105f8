import type { CommandLanguage } from '../language.ts';

export const applescript: CommandLanguage = {
  id: 'applescript',
  name: 'AppleScript',
  aliases: ['osascript', 'scpt'],
  extensions: ['.applescript', '.scpt'],
  shebangs: ['osascript'],
  interpreter: 'command',
  entry: { file: 'main.applescript' },
  runtimes: [
    {
      tools: ['osascript'],
      version: { ask: ['-e', 'AppleScript version'] },
      run: ['{tool}', '{entry}', '{args}'],
      check: [['osacompile', '-o', '{out}/program.scpt', '{entry}']],
    },
  ],
  install: { other: 'It is part of macOS' },
  platforms: ['darwin'],
  similar: ['bash', 'swift'],
};
