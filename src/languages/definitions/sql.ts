import type { CommandLanguage } from '../language.ts';

export const sql: CommandLanguage = {
  id: 'sql',
  name: 'SQL (SQLite)',
  aliases: ['sqlite', 'sqlite3', 'mysql', 'postgresql', 'plsql', 'tsql'],
  extensions: ['.sql'],
  shebangs: ['sqlite3'],
  interpreter: 'command',
  entry: { file: 'main.sql' },
  runtimes: [
    {
      tools: ['sqlite3'],
      version: { ask: ['--version'] },
      run: ['{tool}', '-batch', '-bail', '-init', '/dev/null', ':memory:', '.read {entry}'],
    },
  ],
  noise: ['-- Loading resources from /dev/null'],
  install: { apt: 'sqlite3', brew: 'sqlite', dnf: 'sqlite', apk: 'sqlite', winget: 'SQLite.SQLite' },
  similar: ['python'],
  lacks: ['args', 'stdin', 'stderr', 'check'],
};
