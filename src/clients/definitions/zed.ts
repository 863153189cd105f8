import type { ClientDefinition } from '../client.ts';
import type { Place } from '../place.ts';
import { folderFrom, inAppData, inConfigHome, inHome, pathOf } from '../place.ts';
import { isFields } from '../shape/fields.ts';

export const zed: ClientDefinition = {
  id: 'zed',
  name: 'Zed',
  userFiles: (place) => [settingsFile(place)],
  projectFiles: ['.zed/settings.json'],
  shape: {
    serversAt: [['context_servers']],
    timeoutUnit: 's',
    isNoServer: isOfExtension,
  },
};

/** What an extension brings has its settings here, and its command in the extension. */
function isOfExtension(entry: unknown): boolean {
  return isFields(entry) && (entry.source === 'extension' || !('command' in entry || 'url' in entry));
}

/** On a Mac in `~/.config` like on Linux, whatever other Mac programs do. */
function settingsFile(place: Place): string {
  if (place.os === 'win') return inAppData(place, 'Zed', 'settings.json');
  if (place.os === 'mac') return inHome(place, '.config', 'zed', 'settings.json');
  const flatpak = folderFrom(place, 'FLATPAK_XDG_CONFIG_HOME');
  return flatpak === undefined
    ? inConfigHome(place, 'zed', 'settings.json')
    : pathOf(place).join(flatpak, 'zed', 'settings.json');
}
