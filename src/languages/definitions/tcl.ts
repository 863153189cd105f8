import type { CommandLanguage } from '../language.ts';

export const tcl: CommandLanguage = {
  id: 'tcl',
  name: 'Tcl',
  aliases: ['tclsh', 'tk', 'wish'],
  extensions: ['.tcl'],
  shebangs: ['tclsh', 'wish'],
  interpreter: 'command',
  entry: { file: 'main.tcl' },
  runtimes: ['tclsh', 'tclsh8.6'].map((tool) => ({
    tools: [tool],
    version: { ask: [], input: 'puts $tcl_patchLevel\n' },
    run: ['{tool}', '{entry}', '{args}'],
  })),
  install: { apt: 'tcl', brew: 'tcl-tk', dnf: 'tcl', apk: 'tcl' },
  similar: ['lua', 'perl', 'bash'],
  lacks: ['check'],
};
