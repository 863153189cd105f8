import type { ClientDefinition } from '../client.ts';
import { folderFrom, inConfigHome } from '../place.ts';

const NAMES = ['settings.jsonc', 'settings.json'];

export const amp: ClientDefinition = {
  id: 'amp',
  name: 'Amp',
  userFiles: (place) => {
    const named = folderFrom(place, 'AMP_SETTINGS_FILE');
    return named === undefined ? NAMES.map((name) => inConfigHome(place, 'amp', name)) : [named];
  },
  projectFiles: NAMES.map((name) => `.amp/${name}`),
  shape: { serversAt: [['amp.mcpServers']] },
};
