import type { CommandLanguage } from '../language.ts';

export const assembly: CommandLanguage = {
  id: 'assembly',
  name: 'Assembly',
  aliases: ['asm', 'nasm', 'x86asm', 'x86', 'x86-64', 'x86_64', 'x64', 'yasm', 'assembler'],
  extensions: ['.asm', '.nasm'],
  shebangs: [],
  interpreter: 'command',
  entry: { file: 'main.asm' },
  included: ['.inc', '.asm'],
  // A program with `main` is one for the C library.
  names: { linker: { find: [String.raw`^\s*global\s+(?:\w+\s*,\s*)*main\b`], use: 'gcc', otherwise: 'ld' } },
  runtimes: [
    {
      tools: ['nasm', 'ld'],
      version: { ask: ['-v'] },
      compile: [
        ['{tool}', '-f', 'elf64', '-o', '{out}/program.o', '{entry}'],
        ['{linker}', '-no-pie', '-z', 'noexecstack', '-o', '{out}/program', '{out}/program.o'],
      ],
      run: ['{out}/program', '{args}'],
      check: [['{tool}', '-f', 'elf64', '-o', '{out}/program.o', '{entry}']],
    },
  ],
  install: { apt: 'nasm', brew: 'nasm', dnf: 'nasm', apk: 'nasm', winget: 'NASM.NASM' },
  similar: ['c'],
};
