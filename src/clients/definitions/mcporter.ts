import type { ClientDefinition } from '../client.ts';
import { folderFrom, inHome } from '../place.ts';
import { STANDARD } from '../shape/standard.ts';

const NAMES = ['mcporter.jsonc', 'mcporter.json'];

export const mcporter: ClientDefinition = {
  id: 'mcporter',
  name: 'mcporter',
  userFiles: (place) => {
    const named = folderFrom(place, 'MCPORTER_CONFIG');
    return [...(named === undefined ? [] : [named]), ...NAMES.map((name) => inHome(place, '.mcporter', name))];
  },
  projectFiles: NAMES.map((name) => `config/${name}`),
  shape: { ...STANDARD, references: 'dollar', splitsCommand: true },
};
