import type { ClientDefinition } from '../client.ts';
import { inAppData } from '../place.ts';
import { STANDARD } from '../shape/standard.ts';

export const claudeDesktop: ClientDefinition = {
  id: 'claude-desktop',
  name: 'Claude Desktop',
  userFiles: (place) => [inAppData(place, 'Claude', 'claude_desktop_config.json')],
  projectFiles: [],
  shape: STANDARD,
};
