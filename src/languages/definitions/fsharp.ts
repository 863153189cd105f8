import type { CommandLanguage } from '../language.ts';

export const fsharp: CommandLanguage = {
  id: 'fsharp',
  name: 'F#',
  aliases: ['f#', 'fs', 'fsx', 'f-sharp', 'fsi'],
  extensions: ['.fs', '.fsx'],
  shebangs: ['fsharpi', 'fsi'],
  interpreter: 'command',
  entry: { file: 'main.fsx' },
  runtimes: [
    {
      tools: ['dotnet'],
      version: { ask: ['--version'] },
      run: ['{tool}', 'fsi', '--quiet', '--nologo', '{entry}', '{args}'],
      env: { DOTNET_CLI_TELEMETRY_OPTOUT: '1', DOTNET_NOLOGO: '1', DOTNET_CLI_HOME: '/tmp/.sallyport' },
    },
    { tools: ['fsharpi'], version: { ask: ['--help'] }, run: ['{tool}', '--quiet', '--nologo', '{entry}', '{args}'] },
  ],
  install: {
    brew: 'dotnet',
    apk: 'dotnet10-sdk',
    winget: 'Microsoft.DotNet.SDK.10',
    other: 'Install the .NET SDK from dotnet.microsoft.com',
  },
  similar: ['ocaml', 'csharp', 'haskell'],
};
