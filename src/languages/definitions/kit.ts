import type { CommandLanguage } from '../language.ts';

export const kit: CommandLanguage = {
  id: 'kit',
  name: 'Kit',
  aliases: ['kitlang', 'kitc'],
  extensions: ['.kit'],
  shebangs: [],
  interpreter: 'command',
  entry: { file: 'main.kit' },
  included: ['.kit'],
  runtimes: [{ tools: ['kitc'], version: { ask: ['--version'] }, run: ['{tool}', '--run', '{entry}', '{args}'] }],
  install: { other: 'Build Kit from kitlang.org' },
  similar: ['c', 'rust', 'nim'],
  lacks: ['check'],
};
