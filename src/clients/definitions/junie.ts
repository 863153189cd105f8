import type { ClientDefinition } from '../client.ts';
import { inHome } from '../place.ts';
import { STANDARD } from '../shape/standard.ts';

export const junie: ClientDefinition = {
  id: 'junie',
  name: 'Junie',
  userFiles: (place) => [inHome(place, '.junie', 'mcp', 'mcp.json')],
  projectFiles: ['.junie/mcp/mcp.json'],
  shape: STANDARD,
};
