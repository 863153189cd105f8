import type { ClientDefinition } from '../client.ts';
import { inHome } from '../place.ts';
import { STANDARD } from '../shape/standard.ts';

export const kiro: ClientDefinition = {
  id: 'kiro',
  name: 'Kiro',
  userFiles: (place) => [inHome(place, '.kiro', 'settings', 'mcp.json')],
  projectFiles: ['.kiro/settings/mcp.json'],
  shape: STANDARD,
};
