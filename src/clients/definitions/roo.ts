import type { ClientDefinition } from '../client.ts';
import { inEditors } from '../place.ts';
import { STANDARD } from '../shape/standard.ts';

export const roo: ClientDefinition = {
  id: 'roo',
  name: 'Roo Code',
  userFiles: (place) =>
    inEditors(place, 'globalStorage', 'rooveterinaryinc.roo-cline', 'settings', 'mcp_settings.json'),
  projectFiles: ['.roo/mcp.json'],
  shape: { ...STANDARD, timeoutUnit: 's' },
};
