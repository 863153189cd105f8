import type { CommandLanguage } from '../language.ts';

export const octave: CommandLanguage = {
  id: 'octave',
  name: 'Octave',
  aliases: ['matlab', 'octave-cli', 'm'],
  extensions: ['.m', '.octave'],
  shebangs: ['octave', 'octave-cli'],
  interpreter: 'command',
  entry: { file: 'main.m' },
  runtimes: ['octave-cli', 'octave'].map((tool) => ({
    tools: [tool],
    version: { ask: ['--version'] },
    run: ['{tool}', '--norc', '--no-history', '--quiet', '{entry}', '{args}'],
  })),
  env: { OPENBLAS_NUM_THREADS: '2', OMP_NUM_THREADS: '2' },
  install: { apt: 'octave', brew: 'octave', dnf: 'octave', apk: 'octave', winget: 'GNU.Octave' },
  similar: ['python', 'r', 'julia'],
  lacks: ['check'],
};
