import type { CommandLanguage } from '../language.ts';

export const vbscript: CommandLanguage = {
  id: 'vbscript',
  name: 'VBScript',
  aliases: ['vbs', 'vb-script'],
  extensions: ['.vbs'],
  shebangs: [],
  interpreter: 'command',
  entry: { file: 'main.vbs' },
  runtimes: [
    { tools: ['cscript.exe'], version: { ask: ['//?'] }, run: ['{tool}', '//Nologo', '//B', '{entry}', '{args}'] },
  ],
  install: { other: 'It is an optional feature of Windows' },
  platforms: ['win32'],
  similar: ['powershell', 'python'],
  lacks: ['check'],
};
