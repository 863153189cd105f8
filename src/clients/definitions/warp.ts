import type { ClientDefinition } from '../client.ts';
import { inHome } from '../place.ts';
import { STANDARD } from '../shape/standard.ts';

export const warp: ClientDefinition = {
  id: 'warp',
  name: 'Warp',
  userFiles: (place) => [inHome(place, '.warp', '.mcp.json')],
  projectFiles: ['.warp/.mcp.json'],
  shape: STANDARD,
};
