import type { CommandLanguage } from '../language.ts';

export const pascal: CommandLanguage = {
  id: 'pascal',
  name: 'Pascal',
  aliases: ['pas', 'fpc', 'freepascal', 'delphi', 'objectpascal', 'object-pascal'],
  extensions: ['.pas', '.pp', '.dpr', '.lpr'],
  shebangs: ['instantfpc'],
  interpreter: 'command',
  entry: { file: 'main.pas' },
  included: ['.pas', '.pp', '.inc'],
  runtimes: [
    {
      tools: ['fpc'],
      version: { ask: ['-iV'] },
      compile: [['{tool}', '-vewl-', '-l-', '-FU{out}', '-o{out}/program', '{entry}']],
      run: ['{out}/program', '{args}'],
      check: [['{tool}', '-vew', '-l-', '-s', '-FU{out}', '-FE{out}', '{entry}']],
    },
  ],
  noise: [
    String.raw`\(?\d+\)? ?(?:lines compiled|warning|hint|note).*`,
    'Target OS: .*',
    'Compiling .*',
    'Linking .*',
    String.raw`.*ld(?:\.bfd)?: warning:.*`,
    String.raw`\d+ lines compiled.*`,
  ],
  install: { apt: 'fp-compiler', brew: 'fpc', dnf: 'fpc', apk: 'fpc', winget: 'FreePascal.FreePascalCompiler' },
  similar: ['ada', 'c', 'nim'],
};
