import type { CommandLanguage } from '../language.ts';

export const verilog: CommandLanguage = {
  id: 'verilog',
  name: 'Verilog',
  aliases: ['iverilog', 'systemverilog', 'sv', 'vh'],
  extensions: ['.vl', '.sv', '.vh'],
  shebangs: [],
  interpreter: 'command',
  entry: { file: 'main.vl' },
  sources: ['.vl', '.sv'],
  included: ['.vh', '.svh'],
  runtimes: [
    {
      tools: ['iverilog', 'vvp'],
      version: { ask: ['-V'] },
      compile: [['{tool}', '-g2012', '-o', '{out}/program', '{sources}']],
      run: ['vvp', '-n', '{out}/program', '{args}'],
      check: [['{tool}', '-g2012', '-t', 'null', '{sources}']],
    },
  ],
  install: { apt: 'iverilog', brew: 'icarus-verilog', dnf: 'iverilog', apk: 'iverilog' },
  similar: ['c'],
  lacks: ['args', 'exit-code'],
};
