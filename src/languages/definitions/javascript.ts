import type { LanguageDefinition } from '../language.ts';

export const javascript: LanguageDefinition = {
  id: 'javascript',
  name: 'JavaScript',
  aliases: ['js', 'node', 'nodejs', 'node.js', 'mjs', 'cjs', 'ecmascript'],
  extensions: ['.js', '.mjs', '.cjs'],
  shebangs: ['node', 'nodejs'],
  interpreter: 'javascript',
};
