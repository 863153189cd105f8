import type { ClientDefinition } from '../client.ts';
import { inHome } from '../place.ts';
import { STANDARD } from '../shape/standard.ts';

export const inspector: ClientDefinition = {
  id: 'inspector',
  name: 'MCP Inspector',
  userFiles: (place) => [inHome(place, '.mcp-inspector', 'mcp.json')],
  projectFiles: [],
  shape: STANDARD,
};
