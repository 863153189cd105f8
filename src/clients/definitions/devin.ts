import type { ClientDefinition } from '../client.ts';
import { inConfigHome } from '../place.ts';
import { STANDARD } from '../shape/standard.ts';

/** `config.json` is where its servers were before they had a file of their own. */
export const devin: ClientDefinition = {
  id: 'devin',
  name: 'Devin',
  userFiles: (place) => [inConfigHome(place, 'devin', 'mcp_config.json'), inConfigHome(place, 'devin', 'config.json')],
  projectFiles: ['.devin/mcp_config.local.json', '.devin/mcp_config.json', '.devin/config.json'],
  shape: STANDARD,
};
