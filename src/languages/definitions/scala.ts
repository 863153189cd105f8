import type { CommandLanguage } from '../language.ts';

export const scala: CommandLanguage = {
  id: 'scala',
  name: 'Scala',
  aliases: ['scala2', 'scala3', 'scalac'],
  extensions: ['.scala', '.sc'],
  shebangs: ['scala', 'scala-cli'],
  interpreter: 'command',
  entry: { file: 'Main.scala' },
  sources: ['.scala'],
  names: {
    main: {
      find: [
        String.raw`^\s*object\s+(\w+)\s+extends\s+App\b`,
        String.raw`^\s*object\s+(\w+)(?:(?!^object\s)[^])*?\bdef\s+main\b`,
        String.raw`^\s*@main\s+def\s+(\w+)`,
      ],
      otherwise: 'Main',
    },
  },
  runtimes: [
    {
      tools: ['scala-cli'],
      version: { ask: ['version', '--offline'] },
      run: ['{tool}', 'run', '--server=false', '--offline', '{sources}', '--', '{args}'],
      check: [['{tool}', 'compile', '--server=false', '--offline', '{sources}']],
    },
    {
      tools: ['scalac', 'scala'],
      version: { ask: ['-version'] },
      compile: [['{tool}', '-nowarn', '-d', '{out}', '{sources}']],
      run: ['scala', '-nc', '-cp', '{out}', '{main}', '{args}'],
      env: { JAVA_OPTS: '-Xmx384m -XX:+UseSerialGC -XX:TieredStopAtLevel=1' },
    },
  ],
  noise: ['warning: .*', 'WARNING: .*'],
  install: { apt: 'scala', brew: 'scala', other: 'Install Scala from scala-lang.org/download' },
  similar: ['java', 'kotlin', 'clojure'],
};
