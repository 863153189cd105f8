import type { LiveLanguage } from '../language.ts';

export const javascript: LiveLanguage = {
  id: 'javascript',
  name: 'JavaScript',
  aliases: ['js', 'node', 'nodejs', 'node.js', 'mjs', 'cjs', 'ecmascript'],
  extensions: ['.js', '.mjs', '.cjs'],
  shebangs: ['node', 'nodejs'],
  interpreter: 'javascript',
};
