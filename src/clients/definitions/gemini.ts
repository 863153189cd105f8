import type { ClientDefinition } from '../client.ts';
import type { Place } from '../place.ts';
import { folderFrom, inHome } from '../place.ts';
import { GEMINI_SHAPE } from '../shape/gemini.ts';

export const gemini: ClientDefinition = {
  id: 'gemini',
  name: 'Gemini CLI',
  userFiles: (place) => [inHome(place, '.gemini', 'settings.json'), systemFile(place)],
  projectFiles: ['.gemini/settings.json'],
  shape: GEMINI_SHAPE,
};

/** What an administrator sets for all users of the machine. */
function systemFile(place: Place): string {
  const named = folderFrom(place, 'GEMINI_CLI_SYSTEM_SETTINGS_PATH');
  if (named !== undefined) return named;
  if (place.os === 'win') return 'C:\\ProgramData\\gemini-cli\\settings.json';
  if (place.os === 'mac') return '/Library/Application Support/GeminiCli/settings.json';
  return '/etc/gemini-cli/settings.json';
}
