import type { CommandLanguage } from '../language.ts';

export const bat: CommandLanguage = {
  id: 'bat',
  name: 'Batch',
  aliases: ['batch', 'cmd', 'batchfile', 'dosbatch', 'winbatch'],
  extensions: ['.bat', '.cmd'],
  shebangs: [],
  interpreter: 'command',
  entry: { file: 'main.bat' },
  runtimes: [{ tools: ['cmd.exe'], version: { ask: ['/c', 'ver'] }, run: ['{tool}', '/d', '/c', '{entry}', '{args}'] }],
  install: { other: 'It is part of Windows' },
  platforms: ['win32'],
  similar: ['powershell', 'bash'],
  lacks: ['check'],
};
