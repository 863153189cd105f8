import type { CommandLanguage } from '../language.ts';

export const ada: CommandLanguage = {
  id: 'ada',
  name: 'Ada',
  aliases: ['adb', 'ads', 'gnat', 'gnatmake', 'ada95', 'ada2012'],
  extensions: ['.adb', '.ads'],
  shebangs: [],
  interpreter: 'command',
  entry: {
    file: 'main.adb',
    stem: {
      find: [String.raw`^\s*procedure\s+(\w+)`, String.raw`^\s*function\s+(\w+)`],
      otherwise: 'main',
      lowerCase: true,
    },
  },
  sources: ['.adb', '.ads'],
  runtimes: [
    {
      tools: ['gnatmake'],
      version: { ask: ['--version'] },
      copies: true,
      compile: [['{tool}', '-q', '-o', 'program', '{entry}']],
      run: ['{out}/program', '{args}'],
      check: [['{tool}', '-q', '-c', '-gnatc', '{entry}']],
    },
  ],
  diagnostics: [String.raw`^(?<file>[\w.-]+):(?<line>\d+):(?<column>\d+): (?!warning)(?<message>[^\n]+)`],
  install: { apt: 'gnat', brew: 'gcc', dnf: 'gcc-gnat', apk: 'gcc-gnat' },
  similar: ['pascal', 'c', 'rust'],
};
