import type { ClientDefinition } from '../client.ts';
import type { Place } from '../place.ts';
import { folderFrom, inConfigHome, inHome, pathOf } from '../place.ts';

export const crush: ClientDefinition = {
  id: 'crush',
  name: 'Crush',
  userFiles: (place) => configFolders(place).map((folder) => pathOf(place).join(folder, 'crush.json')),
  projectFiles: ['.crush.json', 'crush.json'],
  shape: { serversAt: [['mcp']], timeoutUnit: 's', references: 'dollar' },
};

function configFolders(place: Place): string[] {
  const named = folderFrom(place, 'CRUSH_GLOBAL_CONFIG');
  if (named !== undefined) return [named];
  if (place.os !== 'win') return [inConfigHome(place, 'crush')];
  const local = folderFrom(place, 'LOCALAPPDATA') ?? inHome(place, 'AppData', 'Local');
  return [inConfigHome(place, 'crush'), pathOf(place).join(local, 'crush')];
}
