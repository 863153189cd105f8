import type { CommandLanguage } from '../language.ts';

export const c: CommandLanguage = {
  id: 'c',
  name: 'C',
  aliases: ['gcc', 'clang', 'ansi-c', 'c11', 'c17', 'c99', 'c-lang'],
  extensions: ['.c'],
  shebangs: ['tcc'],
  interpreter: 'command',
  entry: { file: 'main.c' },
  sources: ['.c'],
  included: ['.h', '.inc'],
  runtimes: ['gcc', 'clang', 'cc'].map((tool) => ({
    tools: [tool],
    version: { ask: ['--version'] },
    compile: [['{tool}', '-O1', '-I.', '-o', '{out}/program', '{sources}', '-pthread', '-lm']],
    run: ['{out}/program', '{args}'],
    check: [['{tool}', '-fsyntax-only', '-I.', '{entry}']],
  })),
  install: { apt: 'gcc libc6-dev', brew: 'gcc', dnf: 'gcc', apk: 'gcc musl-dev', winget: 'LLVM.LLVM' },
  similar: ['cpp', 'rust', 'zig', 'go'],
};
