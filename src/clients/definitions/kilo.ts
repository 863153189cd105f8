import type { ClientDefinition } from '../client.ts';
import { inConfigHome, inEditors } from '../place.ts';
import { OPENCODE_SHAPE } from '../shape/opencode.ts';

const NAMES = ['kilo.jsonc', 'kilo.json'];

export const kilo: ClientDefinition = {
  id: 'kilo',
  name: 'Kilo Code',
  userFiles: (place) => [
    ...NAMES.map((name) => inConfigHome(place, 'kilo', name)),
    ...inEditors(place, 'globalStorage', 'kilocode.kilo-code', 'settings', 'mcp_settings.json'),
  ],
  projectFiles: [
    ...['', '.kilo/', '.kilocode/'].flatMap((folder) => NAMES.map((name) => `${folder}${name}`)),
    '.kilocode/mcp.json',
  ],
  shape: OPENCODE_SHAPE,
};
