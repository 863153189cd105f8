import type { ClientDefinition } from '../client.ts';
import { inHome } from '../place.ts';
import { STANDARD } from '../shape/standard.ts';

/** The second place is where some installations really have it. */
export const lmStudio: ClientDefinition = {
  id: 'lm-studio',
  name: 'LM Studio',
  userFiles: (place) => [inHome(place, '.lmstudio', 'mcp.json'), inHome(place, '.cache', 'lm-studio', 'mcp.json')],
  projectFiles: [],
  shape: STANDARD,
};
