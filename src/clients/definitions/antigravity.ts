import type { ClientDefinition } from '../client.ts';
import { inHome } from '../place.ts';
import { STANDARD } from '../shape/standard.ts';

/** The second place is that of older editors. */
export const antigravity: ClientDefinition = {
  id: 'antigravity',
  name: 'Antigravity',
  userFiles: (place) => [
    inHome(place, '.gemini', 'config', 'mcp_config.json'),
    inHome(place, '.gemini', 'antigravity', 'mcp_config.json'),
  ],
  projectFiles: ['.agents/mcp_config.json'],
  shape: STANDARD,
};
