import type { ClientDefinition } from '../client.ts';
import { inHome } from '../place.ts';

export const visualStudio: ClientDefinition = {
  id: 'visual-studio',
  name: 'Visual Studio',
  userFiles: (place) => (place.os === 'win' ? [inHome(place, '.mcp.json')] : []),
  projectFiles: ['.vs/mcp.json'],
  shape: { serversAt: [['servers'], ['mcpServers']] },
};
