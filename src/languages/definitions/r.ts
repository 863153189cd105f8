import type { CommandLanguage } from '../language.ts';

export const r: CommandLanguage = {
  id: 'r',
  name: 'R',
  aliases: ['rscript', 'r-lang', 'rlang', 'splus'],
  extensions: ['.r'],
  shebangs: ['rscript', 'Rscript'],
  interpreter: 'command',
  entry: { file: 'main.R' },
  runtimes: [
    {
      tools: ['Rscript'],
      version: { ask: ['--version'] },
      run: ['{tool}', '{entry}', '{args}'],
      check: [['{tool}', '-e', 'invisible(parse("{entry}"))']],
    },
  ],
  diagnostics: [String.raw`(?<file>\S+):(?<line>\d+):(?<column>\d+): (?<message>unexpected[^\n]*)`],
  install: { apt: 'r-base-core', brew: 'r', dnf: 'R-core', apk: 'R', winget: 'RProject.R' },
  lacks: ['error-line'],
  similar: ['python', 'julia', 'octave'],
};
