import type { ClientDefinition } from '../client.ts';
import { inOverridable } from '../place.ts';

const BLOCKS = 'mcpServers/*.{yaml,yml,json}';

/** Its own files have a list of servers; in the folder also files of other clients are welcome, and single servers. */
export const continueDev: ClientDefinition = {
  id: 'continue',
  name: 'Continue',
  userFiles: (place) =>
    ['config.yaml', 'config.json', BLOCKS].map((file) =>
      inOverridable(place, 'CONTINUE_GLOBAL_DIR', '.continue', ...file.split('/')),
    ),
  projectFiles: [`.continue/${BLOCKS}`],
  shape: { serversAt: [['mcpServers']] },
};
