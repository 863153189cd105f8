import type { CommandLanguage } from '../language.ts';

export const awk: CommandLanguage = {
  id: 'awk',
  name: 'Awk',
  aliases: ['gawk', 'mawk', 'nawk'],
  extensions: ['.awk'],
  shebangs: ['awk', 'gawk', 'mawk'],
  interpreter: 'command',
  entry: { file: 'main.awk' },
  runtimes: [
    {
      tools: ['gawk'],
      version: { ask: ['--version'] },
      run: ['{tool}', '-f', '{entry}', '--', '{args}'],
      check: [['{tool}', '--lint=no-ext', '-o/dev/null', '-f', '{entry}']],
    },
    { tools: ['mawk'], version: { ask: ['-W', 'version'] }, run: ['{tool}', '-f', '{entry}', '--', '{args}'] },
    { tools: ['awk'], version: { ask: ['--version'] }, run: ['{tool}', '-f', '{entry}', '--', '{args}'] },
  ],
  install: { apt: 'gawk', brew: 'gawk', dnf: 'gawk', apk: 'gawk' },
  similar: ['perl', 'bash', 'python'],
};
