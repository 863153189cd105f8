/**
 * Where on a machine a user's files are.
 *
 * Everything here is a pure function of the place, so that the paths of all three systems can be told on any of them.
 */
import { posix, win32 } from 'node:path';

export interface Place {
  readonly os: 'linux' | 'mac' | 'win';
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The `path` functions of the place's own system. */
export function pathOf(place: Pick<Place, 'os'>): typeof posix {
  return place.os === 'win' ? win32 : posix;
}

/** Below the home; steps without separators. */
export function inHome(place: Place, ...steps: string[]): string {
  return pathOf(place).join(place.home, ...steps);
}

/** No shell stands between a config and what it names, yet people write `~/` and mean it. */
export function expandHome(place: Place, path: string): string {
  return /^~(?=[\\/]|$)/.test(path) ? `${place.home}${path.slice(1)}` : path;
}

/** Below the folder that a variable names, else below a folder of the home: `$CODEX_HOME`, else `~/.codex`. */
export function inOverridable(place: Place, variable: string, homeFolder: string, ...steps: string[]): string {
  return pathOf(place).join(folderFrom(place, variable) ?? inHome(place, homeFolder), ...steps);
}

/** The file or folder that a variable names. The XDG rules let relative values be ignored, and nobody means them. */
export function folderFrom(place: Place, variable: string): string | undefined {
  const value = place.env[variable];
  return value !== undefined && pathOf(place).isAbsolute(value) ? value : undefined;
}

/** `$XDG_CONFIG_HOME`, else `~/.config`: for tools that use it on every system. */
export function inConfigHome(place: Place, ...steps: string[]): string {
  return pathOf(place).join(folderFrom(place, 'XDG_CONFIG_HOME') ?? inHome(place, '.config'), ...steps);
}

/** Where desktop programs keep their data: `~/.config`, `~/Library/Application Support` or `%APPDATA%`. */
export function inAppData(place: Place, ...steps: string[]): string {
  switch (place.os) {
    case 'linux':
      return inConfigHome(place, ...steps);
    case 'mac':
      return inHome(place, 'Library', 'Application Support', ...steps);
    case 'win':
      return win32.join(folderFrom(place, 'APPDATA') ?? inHome(place, 'AppData', 'Roaming'), ...steps);
    default:
      return place.os satisfies never;
  }
}

/** The same path in each of the folders where VS Code and what was made from it keep a user's data. */
export function inEditors(place: Place, ...steps: string[]): string[] {
  return ['Code', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf'].map((editor) =>
    inAppData(place, editor, 'User', ...steps),
  );
}
