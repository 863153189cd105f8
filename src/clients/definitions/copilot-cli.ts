import type { ClientDefinition } from '../client.ts';
import { folderFrom, inHome, pathOf } from '../place.ts';
import { STANDARD } from '../shape/standard.ts';

export const copilotCli: ClientDefinition = {
  id: 'copilot-cli',
  name: 'GitHub Copilot CLI',
  userFiles: (place) => {
    const named = folderFrom(place, 'COPILOT_HOME') ?? folderFrom(place, 'XDG_CONFIG_HOME');
    const standard = inHome(place, '.copilot', 'mcp-config.json');
    return named === undefined ? [standard] : [pathOf(place).join(named, 'mcp-config.json'), standard];
  },
  projectFiles: ['.github/mcp.json'],
  shape: { ...STANDARD, hasToolsList: true },
};
