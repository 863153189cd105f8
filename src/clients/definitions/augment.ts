import type { ClientDefinition } from '../client.ts';
import { inHome } from '../place.ts';
import { STANDARD } from '../shape/standard.ts';

export const augment: ClientDefinition = {
  id: 'augment',
  name: 'Augment',
  userFiles: (place) => [inHome(place, '.augment', 'settings.json')],
  projectFiles: ['.augment/settings.local.json', '.augment/settings.json'],
  shape: STANDARD,
};
