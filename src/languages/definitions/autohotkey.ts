import type { CommandLanguage } from '../language.ts';

export const autohotkey: CommandLanguage = {
  id: 'autohotkey',
  name: 'AutoHotkey',
  aliases: ['ahk', 'ahk2'],
  extensions: ['.ahk'],
  shebangs: [],
  interpreter: 'command',
  entry: { file: 'main.ahk' },
  runtimes: [
    {
      tools: ['AutoHotkey64.exe'],
      version: { ask: ['/version'] },
      run: ['{tool}', '/ErrorStdOut', '{entry}', '{args}'],
    },
  ],
  install: { winget: 'AutoHotkey.AutoHotkey' },
  platforms: ['win32'],
  similar: ['powershell', 'python'],
  lacks: ['check'],
};
