import type { CommandLanguage } from '../language.ts';

export const powershell: CommandLanguage = {
  id: 'powershell',
  name: 'PowerShell',
  aliases: ['pwsh', 'ps1', 'ps', 'posh'],
  extensions: ['.ps1', '.psm1'],
  shebangs: ['pwsh'],
  interpreter: 'command',
  entry: { file: 'main.ps1' },
  runtimes: ['pwsh', 'powershell'].map((tool) => ({
    tools: [tool],
    version: { ask: ['-NoProfile', '-Command', '$PSVersionTable.PSVersion.ToString()'] },
    run: ['{tool}', '-NoProfile', '-NonInteractive', '-File', '{entry}', '{args}'],
    check: [
      [
        '{tool}',
        '-NoProfile',
        '-NonInteractive',
        '-Command',
        '$errors = $null; [void][Management.Automation.Language.Parser]::ParseFile("{entry}", [ref]$null, [ref]$errors); $errors | ForEach-Object { [Console]::Error.WriteLine("{entry}:$($_.Extent.StartLineNumber):$($_.Extent.StartColumnNumber): error: $($_.Message)") }; exit [int]($errors.Count -gt 0)',
      ],
    ],
  })),
  env: { POWERSHELL_TELEMETRY_OPTOUT: '1', POWERSHELL_UPDATECHECK: 'Off', NO_COLOR: '1' },
  install: { brew: 'powershell', winget: 'Microsoft.PowerShell', other: 'Install PowerShell from aka.ms/powershell' },
  similar: ['bash', 'python'],
};
