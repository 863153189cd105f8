import type { CommandLanguage } from '../language.ts';

export const swift: CommandLanguage = {
  id: 'swift',
  name: 'Swift',
  aliases: ['swiftlang', 'swiftc'],
  extensions: ['.swift'],
  shebangs: ['swift'],
  interpreter: 'command',
  entry: { file: 'main.swift' },
  sources: ['.swift'],
  runtimes: [
    {
      tools: ['swiftc'],
      version: { ask: ['--version'] },
      compile: [['{tool}', '-module-cache-path', '/tmp/.sallyport/swift', '-o', '{out}/program', '{sources}']],
      run: ['{out}/program', '{args}'],
      check: [['{tool}', '-module-cache-path', '/tmp/.sallyport/swift', '-parse', '{entry}']],
    },
  ],
  install: {
    brew: 'swift',
    dnf: 'swift-lang',
    winget: 'Swift.Toolchain',
    other: 'Install Swift from swift.org/install',
  },
  similar: ['rust', 'kotlin', 'go'],
};
