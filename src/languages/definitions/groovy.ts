import type { CommandLanguage } from '../language.ts';

export const groovy: CommandLanguage = {
  id: 'groovy',
  name: 'Groovy',
  aliases: ['gvy', 'apache-groovy'],
  extensions: ['.groovy', '.gvy'],
  shebangs: ['groovy'],
  interpreter: 'command',
  entry: { file: 'main.groovy' },
  runtimes: [
    {
      tools: ['groovy'],
      version: { ask: ['--version'], find: String.raw`Groovy Version: ([\d.]+)` },
      run: ['{tool}', '{entry}', '{args}'],
      check: [['groovyc', '-d', '{out}', '{entry}']],
      env: { JAVA_OPTS: '-Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1' },
    },
  ],
  diagnostics: [String.raw`^(?<file>[^:\n]+): (?<line>\d+): (?<message>[^\n]+?) @ line \d+, column (?<column>\d+)`],
  // Its launcher takes one `--` for itself.
  lacks: ['double-dash'],
  install: { apt: 'groovy', brew: 'groovy', other: 'Install Groovy from groovy.apache.org/download.html' },
  similar: ['java', 'kotlin', 'ruby'],
};
