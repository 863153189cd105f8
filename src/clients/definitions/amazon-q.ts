import type { ClientDefinition } from '../client.ts';
import { inHome } from '../place.ts';
import { STANDARD } from '../shape/standard.ts';

/** Agents of the command line, agents of the editors, and the file that both had before there were agents. */
const FILES = ['cli-agents/*.json', 'agents/*.json', 'mcp.json'];

export const amazonQ: ClientDefinition = {
  id: 'amazon-q',
  name: 'Amazon Q Developer',
  userFiles: (place) => FILES.map((file) => inHome(place, '.aws', 'amazonq', ...file.split('/'))),
  projectFiles: FILES.map((file) => `.amazonq/${file}`),
  shape: STANDARD,
};
