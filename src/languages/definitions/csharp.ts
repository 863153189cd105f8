import type { CommandLanguage } from '../language.ts';

export const csharp: CommandLanguage = {
  id: 'csharp',
  name: 'C#',
  aliases: ['c#', 'cs', 'c-sharp', 'mono', 'dotnet', 'csc', 'mcs'],
  extensions: ['.cs', '.csx'],
  shebangs: ['dotnet-script'],
  interpreter: 'command',
  entry: { file: 'main.cs' },
  sources: ['.cs'],
  runtimes: [
    {
      tools: ['dotnet'],
      version: { ask: ['--version'] },
      run: ['{tool}', 'run', '{entry}', '--', '{args}'],
      check: [['{tool}', 'build', '{entry}']],
      env: { DOTNET_CLI_TELEMETRY_OPTOUT: '1', DOTNET_NOLOGO: '1', DOTNET_CLI_HOME: '/tmp/.sallyport' },
    },
    {
      tools: ['mcs', 'mono'],
      version: { ask: ['--version'] },
      compile: [['{tool}', '-nologo', '-langversion:latest', '-out:{out}/program.exe', '{sources}']],
      run: ['mono', '{out}/program.exe', '{args}'],
    },
  ],
  install: {
    apt: 'mono-mcs',
    brew: 'dotnet',
    dnf: 'mono-core',
    apk: 'dotnet10-sdk',
    winget: 'Microsoft.DotNet.SDK.10',
  },
  similar: ['java', 'fsharp', 'kotlin'],
};
