import type { ClientDefinition } from '../client.ts';
import { inHome } from '../place.ts';
import { GEMINI_SHAPE } from '../shape/gemini.ts';

export const qwen: ClientDefinition = {
  id: 'qwen',
  name: 'Qwen Code',
  userFiles: (place) => [inHome(place, '.qwen', 'settings.json')],
  projectFiles: ['.qwen/settings.json'],
  shape: GEMINI_SHAPE,
};
