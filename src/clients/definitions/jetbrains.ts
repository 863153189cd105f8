import type { ClientDefinition } from '../client.ts';
import { STANDARD } from '../shape/standard.ts';

/** AI Assistant keeps the user's servers in its own settings, out of reach. */
export const jetbrains: ClientDefinition = {
  id: 'jetbrains',
  name: 'JetBrains AI Assistant',
  userFiles: () => [],
  projectFiles: ['.ai/mcp/mcp.json'],
  shape: STANDARD,
};
