import type { CommandLanguage } from '../language.ts';
import { SASS_PLACE } from '../sass-place.ts';

export const scss: CommandLanguage = {
  id: 'scss',
  name: 'SCSS',
  aliases: [],
  extensions: ['.scss'],
  shebangs: [],
  interpreter: 'command',
  entry: { file: 'main.scss' },
  runtimes: [
    {
      tools: ['sass'],
      version: { ask: ['--version'] },
      run: ['{tool}', '--no-source-map', '{entry}'],
      check: [['{tool}', '--no-source-map', '{entry}', '{out}/style.css']],
    },
  ],
  diagnostics: [SASS_PLACE],
  install: { apt: 'ruby-sass', brew: 'sass/sass/sass', npm: 'sass' },
  similar: ['sass'],
  lacks: ['args', 'stdin', 'exit-code', 'stderr', 'endless-loop', 'files'],
};
