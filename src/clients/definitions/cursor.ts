import type { ClientDefinition } from '../client.ts';
import { inHome } from '../place.ts';
import { STANDARD } from '../shape/standard.ts';

export const cursor: ClientDefinition = {
  id: 'cursor',
  name: 'Cursor',
  userFiles: (place) => [inHome(place, '.cursor', 'mcp.json')],
  projectFiles: ['.cursor/mcp.json'],
  shape: STANDARD,
};
