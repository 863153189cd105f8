import type { CommandLanguage } from '../language.ts';

export const smalltalk: CommandLanguage = {
  id: 'smalltalk',
  name: 'Smalltalk',
  aliases: ['st', 'gst', 'gnu-smalltalk', 'squeak', 'pharo'],
  extensions: ['.st'],
  shebangs: ['gst'],
  interpreter: 'command',
  entry: { file: 'main.st' },
  runtimes: [{ tools: ['gst'], version: { ask: ['--version'] }, run: ['{tool}', '{entry}', '-a', '{args}'] }],
  install: { brew: 'gnu-smalltalk', apk: 'smalltalk', other: 'Build GNU Smalltalk from smalltalk.gnu.org' },
  similar: ['ruby', 'python'],
  lacks: ['check'],
};
