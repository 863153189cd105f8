import type { ClientDefinition } from '../client.ts';
import type { Place } from '../place.ts';
import { folderFrom, inEditors, inOverridable, pathOf } from '../place.ts';
import { STANDARD } from '../shape/standard.ts';

const FILE = 'cline_mcp_settings.json';

/** The extension, in any editor that takes it, and the command line tool. */
export const cline: ClientDefinition = {
  id: 'cline',
  name: 'Cline',
  userFiles: (place) => [
    ...inEditors(place, 'globalStorage', 'saoudrizwan.claude-dev', 'settings', FILE),
    commandLineFile(place),
  ],
  projectFiles: [],
  shape: { ...STANDARD, timeoutUnit: 's' },
};

function commandLineFile(place: Place): string {
  const file = folderFrom(place, 'CLINE_MCP_SETTINGS_PATH');
  if (file !== undefined) return file;
  const data = folderFrom(place, 'CLINE_DATA_DIR') ?? inOverridable(place, 'CLINE_DIR', '.cline', 'data');
  return pathOf(place).join(data, 'settings', FILE);
}
