import type { ClientDefinition } from '../client.ts';
import type { Place } from '../place.ts';
import { folderFrom, inAppData, inConfigHome, inHome, pathOf } from '../place.ts';
import { isFields } from '../shape/fields.ts';

/** Extensions of these kinds are servers; the others are parts of Goose itself. */
const SERVER_KINDS = ['stdio', 'sse', 'streamable_http'];

export const goose: ClientDefinition = {
  id: 'goose',
  name: 'Goose',
  userFiles: (place) => configFolders(place).map((folder) => pathOf(place).join(folder, 'config.yaml')),
  projectFiles: [],
  shape: { serversAt: [['extensions']], timeoutUnit: 's', emptyMeansAll: true, isNoServer },
};

function configFolders(place: Place): string[] {
  const root = folderFrom(place, 'GOOSE_PATH_ROOT');
  if (root !== undefined) return [pathOf(place).join(root, 'config')];
  if (place.os !== 'win') return [inConfigHome(place, 'goose')];
  return [inAppData(place, 'Block', 'goose', 'config'), inHome(place, '.config', 'goose')];
}

function isNoServer(entry: unknown): boolean {
  return isFields(entry) && entry.type !== undefined && !SERVER_KINDS.includes(String(entry.type));
}
