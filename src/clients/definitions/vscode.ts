import type { ClientDefinition } from '../client.ts';
import { inAppData } from '../place.ts';

/** Servers had their place in the settings before they had a file of their own. */
const FILES = ['mcp.json', 'profiles/*/mcp.json', 'settings.json'];

export const vscode: ClientDefinition = {
  id: 'vscode',
  name: 'VS Code',
  userFiles: (place) =>
    ['Code', 'Code - Insiders', 'VSCodium'].flatMap((edition) =>
      FILES.map((file) => inAppData(place, edition, 'User', ...file.split('/'))),
    ),
  projectFiles: ['.vscode/mcp.json'],
  shape: { serversAt: [['servers'], ['mcpServers'], ['mcp', 'servers'], ['mcp.servers']] },
};
