import type { CommandLanguage } from '../language.ts';

export const forth: CommandLanguage = {
  id: 'forth',
  name: 'Forth',
  aliases: ['gforth', 'fth', '4th'],
  extensions: ['.fth', '.4th', '.forth'],
  shebangs: ['gforth'],
  interpreter: 'command',
  entry: { file: 'main.fth' },
  runtimes: [
    { tools: ['gforth'], version: { ask: ['--version'] }, run: ['{tool}', '-e', 's" {entry}" included bye', '{args}'] },
  ],
  install: { apt: 'gforth', brew: 'gforth', dnf: 'gforth', apk: 'gforth' },
  similar: ['c', 'assembly'],
  lacks: ['check'],
};
