import { JVM_COMPILER_FLAGS, JVM_FLAGS } from '../jvm.ts';
import type { CommandLanguage } from '../language.ts';

export const java: CommandLanguage = {
  id: 'java',
  name: 'Java',
  aliases: ['jdk', 'openjdk', 'java17', 'java21'],
  extensions: ['.java'],
  shebangs: [],
  interpreter: 'command',
  entry: {
    file: 'Main.java',
    stem: {
      find: [
        String.raw`^\s*public\s+(?:(?:abstract|final|sealed|non-sealed|static|strictfp)\s+)*(?:class|record|enum|interface)\s+(\w+)`,
        String.raw`^\s*(?:(?:abstract|final|sealed)\s+)*(?:class|record|enum|interface)\s+(\w+)(?:(?!^\s*(?:\w+\s+)*(?:class|record|enum|interface)\s)[^])*?\bstatic\s+(?:public\s+)?void\s+main\b`,
        String.raw`^\s*(?:class|record|enum|interface)\s+(\w+)`,
      ],
      otherwise: 'Main',
    },
  },
  sources: ['.java'],
  names: { package: { find: [String.raw`^\s*package\s+([\w.]+)\s*;`], use: '$1.', otherwise: '' } },
  runtimes: [
    {
      tools: ['javac', 'java'],
      version: { ask: ['-version'] },
      compile: [
        [
          '{tool}',
          ...JVM_COMPILER_FLAGS.map((flag) => `-J${flag}`),
          '-proc:none',
          '-encoding',
          'UTF-8',
          '-d',
          '{out}',
          '{sources}',
        ],
      ],
      run: ['java', ...JVM_FLAGS, '-cp', '{out}:{workspace}', '{package}{stem}', '{args}'],
    },
  ],
  install: {
    apt: 'default-jdk-headless',
    brew: 'openjdk',
    dnf: 'java-latest-openjdk-devel',
    apk: 'openjdk21-jdk',
    winget: 'EclipseAdoptium.Temurin.21.JDK',
  },
  similar: ['kotlin', 'scala', 'groovy', 'csharp'],
};
