import type { CommandLanguage } from '../language.ts';

export const zig: CommandLanguage = {
  id: 'zig',
  name: 'Zig',
  aliases: ['zig-lang', 'ziglang'],
  extensions: ['.zig'],
  shebangs: ['zig'],
  interpreter: 'command',
  entry: { file: 'main.zig' },
  included: ['.zig', '.zon'],
  runtimes: [
    {
      tools: ['zig'],
      version: { ask: ['version'] },
      compile: [['{tool}', 'build-exe', '-femit-bin={out}/program', '{entry}']],
      run: ['{out}/program', '{args}'],
      check: [['{tool}', 'ast-check', '{entry}']],
    },
  ],
  env: { ZIG_GLOBAL_CACHE_DIR: '/tmp/.sallyport/zig', ZIG_LOCAL_CACHE_DIR: '/tmp/.sallyport/zig' },
  install: { brew: 'zig', dnf: 'zig', apk: 'zig', winget: 'zig.zig', other: 'Install Zig from ziglang.org/download' },
  similar: ['c', 'rust', 'cpp'],
};
