import type { CommandLanguage } from '../language.ts';

export const autoit: CommandLanguage = {
  id: 'autoit',
  name: 'AutoIt',
  aliases: ['au3', 'autoit3'],
  extensions: ['.au3'],
  shebangs: [],
  interpreter: 'command',
  entry: { file: 'main.au3' },
  runtimes: [
    { tools: ['AutoIt3.exe'], version: { ask: ['/version'] }, run: ['{tool}', '/ErrorStdOut', '{entry}', '{args}'] },
  ],
  install: { winget: 'AutoIt.AutoIt' },
  platforms: ['win32'],
  similar: ['powershell', 'python'],
  lacks: ['check'],
};
