import type { ClientDefinition } from '../client.ts';
import { inOverridable } from '../place.ts';

export const grok: ClientDefinition = {
  id: 'grok',
  name: 'Grok Build',
  userFiles: (place) => [inOverridable(place, 'GROK_HOME', '.grok', 'config.toml')],
  projectFiles: ['.grok/config.toml'],
  shape: { serversAt: [['mcp_servers']] },
};
