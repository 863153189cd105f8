import type { ClientDefinition } from '../client.ts';
import { inHome } from '../place.ts';
import { STANDARD } from '../shape/standard.ts';

export const rovoDev: ClientDefinition = {
  id: 'rovo-dev',
  name: 'Rovo Dev',
  userFiles: (place) => [inHome(place, '.rovodev', 'mcp.json')],
  projectFiles: ['.rovodev/mcp.json'],
  shape: STANDARD,
};
