import type { ClientDefinition } from '../client.ts';
import { folderFrom, inConfigHome, inHome, pathOf } from '../place.ts';
import { OPENCODE_SHAPE } from '../shape/opencode.ts';

export const opencode: ClientDefinition = {
  id: 'opencode',
  name: 'opencode',
  userFiles: (place) => {
    const file = folderFrom(place, 'OPENCODE_CONFIG');
    const folder = folderFrom(place, 'OPENCODE_CONFIG_DIR');
    const names = ['opencode.jsonc', 'opencode.json'];
    return [
      ...(file === undefined ? [] : [file]),
      ...(folder === undefined ? [] : names.map((name) => pathOf(place).join(folder, name))),
      ...[...names, 'config.json'].map((name) => inConfigHome(place, 'opencode', name)),
      inHome(place, '.opencode.json'),
    ];
  },
  projectFiles: ['opencode.jsonc', 'opencode.json', '.opencode/opencode.jsonc', '.opencode/opencode.json'],
  shape: OPENCODE_SHAPE,
};
