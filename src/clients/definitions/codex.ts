import type { ClientDefinition } from '../client.ts';
import { inOverridable } from '../place.ts';

export const codex: ClientDefinition = {
  id: 'codex',
  name: 'Codex',
  userFiles: (place) => [inOverridable(place, 'CODEX_HOME', '.codex', 'config.toml')],
  projectFiles: ['.codex/config.toml'],
  shape: { serversAt: [['mcp_servers']] },
};
