import type { ClientDefinition } from '../client.ts';
import { inOverridable } from '../place.ts';
import { STANDARD } from '../shape/standard.ts';

export const kimi: ClientDefinition = {
  id: 'kimi',
  name: 'Kimi Code',
  userFiles: (place) => [inOverridable(place, 'KIMI_CODE_HOME', '.kimi-code', 'mcp.json')],
  projectFiles: ['.kimi-code/mcp.json'],
  shape: STANDARD,
};
