/** How a missing language is had on this system. */
import { existsSync } from 'node:fs';
import type { CommandLanguage, InstallHints } from './language.ts';

type Manager = Exclude<keyof InstallHints, 'other' | 'npm'>;

const COMMANDS: Readonly<Record<Manager | 'npm', string>> = {
  apt: 'apt install',
  brew: 'brew install',
  dnf: 'dnf install',
  apk: 'apk add',
  winget: 'winget install',
  npm: 'npm install --global',
};

const LINUX_MANAGERS: ReadonlyArray<readonly [Manager, string]> = [
  ['apt', '/usr/bin/apt-get'],
  ['dnf', '/usr/bin/dnf'],
  ['apk', '/sbin/apk'],
];

/** The package manager of this machine, if it is one that we know. */
function systemManager(platform: NodeJS.Platform = process.platform): Manager | undefined {
  if (platform === 'darwin') return 'brew';
  if (platform === 'win32') return 'winget';
  return LINUX_MANAGERS.find(([, file]) => existsSync(file))?.[0];
}

/** A command to type, or a sentence where there is none. */
export function installHint(
  { install, name }: Pick<CommandLanguage, 'install' | 'name'>,
  manager = systemManager(),
): string {
  const own = manager === undefined ? undefined : install[manager];
  if (manager !== undefined && own !== undefined) return `${COMMANDS[manager]} ${own}`;
  if (install.npm !== undefined) return `${COMMANDS.npm} ${install.npm}`;
  return install.other ?? `Install ${name} from its own site, so that it is below /usr or on PATH`;
}
