import { JVM_FLAGS } from '../jvm.ts';
import type { CommandLanguage } from '../language.ts';

export const kotlin: CommandLanguage = {
  id: 'kotlin',
  name: 'Kotlin',
  aliases: ['kt', 'kts', 'kotlinc'],
  extensions: ['.kt', '.kts'],
  shebangs: ['kotlin', 'kotlinc'],
  interpreter: 'command',
  entry: { file: 'main.kt' },
  sources: ['.kt'],
  runtimes: [
    {
      tools: ['kotlinc', 'java'],
      version: { ask: ['-version'], find: String.raw`kotlinc-jvm ([\d.]+)` },
      compile: [['{tool}', '-nowarn', '-include-runtime', '-d', '{out}/program.jar', '{sources}']],
      run: ['java', ...JVM_FLAGS, '-jar', '{out}/program.jar', '{args}'],
      env: { JAVA_OPTS: '-Xmx384m -XX:+UseSerialGC -XX:TieredStopAtLevel=1' },
    },
  ],
  noise: ['warning: .*', 'WARNING: .*', 'OpenJDK 64-Bit Server VM warning: .*'],
  install: {
    apt: 'kotlin',
    brew: 'kotlin',
    other: 'Install the Kotlin compiler from kotlinlang.org/docs/command-line.html',
  },
  similar: ['java', 'scala', 'groovy'],
};
