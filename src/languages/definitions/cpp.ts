import type { CommandLanguage } from '../language.ts';

export const cpp: CommandLanguage = {
  id: 'cpp',
  name: 'C++',
  aliases: ['c++', 'cxx', 'cc', 'g++', 'gcc-c++', 'clang++', 'c-plus-plus', 'cplusplus', 'c++17', 'c++20', 'hpp'],
  extensions: ['.cpp', '.cc', '.cxx', '.c++'],
  shebangs: [],
  interpreter: 'command',
  entry: { file: 'main.cpp' },
  sources: ['.cpp', '.cc', '.cxx'],
  included: ['.h', '.hpp', '.hh', '.hxx', '.inc'],
  runtimes: ['g++', 'clang++', 'c++'].map((tool) => ({
    tools: [tool],
    version: { ask: ['--version'] },
    compile: [['{tool}', '-std=gnu++20', '-O1', '-I.', '-o', '{out}/program', '{sources}', '-pthread']],
    run: ['{out}/program', '{args}'],
    check: [['{tool}', '-std=gnu++20', '-fsyntax-only', '-I.', '{entry}']],
  })),
  install: { apt: 'g++', brew: 'gcc', dnf: 'gcc-c++', apk: 'g++', winget: 'LLVM.LLVM' },
  similar: ['c', 'rust', 'd'],
};
