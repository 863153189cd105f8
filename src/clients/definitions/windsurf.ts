import type { ClientDefinition } from '../client.ts';
import { inHome } from '../place.ts';
import { STANDARD } from '../shape/standard.ts';

export const windsurf: ClientDefinition = {
  id: 'windsurf',
  name: 'Windsurf',
  userFiles: (place) => [
    inHome(place, '.codeium', 'windsurf', 'mcp_config.json'),
    inHome(place, '.codeium', 'windsurf-next', 'mcp_config.json'),
  ],
  projectFiles: [],
  shape: STANDARD,
};
