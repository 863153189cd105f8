import type { LiveLanguage } from '../language.ts';

export const typescript: LiveLanguage = {
  id: 'typescript',
  name: 'TypeScript',
  aliases: ['ts', 'mts', 'cts'],
  extensions: ['.ts', '.mts', '.cts'],
  shebangs: ['ts-node', 'tsx'],
  interpreter: 'javascript',
};
