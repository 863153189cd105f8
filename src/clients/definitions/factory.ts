import type { ClientDefinition } from '../client.ts';
import { inHome } from '../place.ts';
import { STANDARD } from '../shape/standard.ts';

export const factory: ClientDefinition = {
  id: 'factory',
  name: 'Factory',
  userFiles: (place) => [inHome(place, '.factory', 'mcp.json')],
  projectFiles: ['.factory/mcp.json'],
  shape: STANDARD,
};
