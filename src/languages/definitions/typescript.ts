import type { LanguageDefinition } from '../language.ts';

export const typescript: LanguageDefinition = {
  id: 'typescript',
  name: 'TypeScript',
  aliases: ['ts', 'mts', 'cts'],
  extensions: ['.ts', '.mts', '.cts'],
  shebangs: ['ts-node', 'tsx'],
  interpreter: 'javascript',
};
