import type { CommandLanguage } from '../language.ts';
import { SASS_PLACE } from '../sass-place.ts';

export const sass: CommandLanguage = {
  id: 'sass',
  name: 'Sass',
  aliases: [],
  extensions: ['.sass'],
  shebangs: [],
  interpreter: 'command',
  entry: { file: 'main.sass' },
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
  similar: ['scss'],
  lacks: ['args', 'stdin', 'exit-code', 'stderr', 'endless-loop', 'files'],
};
