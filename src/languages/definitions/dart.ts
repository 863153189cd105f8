import type { CommandLanguage } from '../language.ts';

export const dart: CommandLanguage = {
  id: 'dart',
  name: 'Dart',
  aliases: ['dartlang', 'flutter'],
  extensions: ['.dart'],
  shebangs: ['dart'],
  interpreter: 'command',
  entry: { file: 'main.dart' },
  runtimes: [
    {
      tools: ['dart'],
      version: { ask: ['--version'] },
      run: ['{tool}', '--disable-analytics', 'run', '{entry}', '{args}'],
      check: [['{tool}', '--disable-analytics', 'analyze', '--no-fatal-warnings', '{entry}']],
    },
  ],
  install: { brew: 'dart-sdk', winget: 'Google.DartSDK', other: 'Install Dart from dart.dev/get-dart' },
  similar: ['typescript', 'java', 'kotlin'],
};
