import type { CommandLanguage } from '../language.ts';

export const crystal: CommandLanguage = {
  id: 'crystal',
  name: 'Crystal',
  aliases: ['cr', 'crystal-lang'],
  extensions: ['.cr'],
  shebangs: ['crystal'],
  interpreter: 'command',
  entry: { file: 'main.cr' },
  included: ['.cr'],
  runtimes: [
    {
      tools: ['crystal'],
      version: { ask: ['--version'] },
      compile: [['{tool}', 'build', '--no-color', '-o', '{out}/program', '{entry}']],
      run: ['{out}/program', '{args}'],
      check: [['{tool}', 'build', '--no-color', '--no-codegen', '{entry}']],
    },
  ],
  env: { CRYSTAL_CACHE_DIR: '/tmp/.sallyport/crystal' },
  diagnostics: [
    String.raw`^In (?<file>\S+?):(?<line>\d+):(?<column>\d+)\n[^]*?\n(?:Error|Syntax error): (?<message>[^\n]+)`,
    String.raw`syntax error in (?<file>\S+?):(?<line>\d+)\n(?:Error: )?(?<message>[^\n]+)`,
  ],
  install: { apt: 'crystal', brew: 'crystal', dnf: 'crystal', apk: 'crystal' },
  similar: ['ruby', 'nim', 'go'],
};
