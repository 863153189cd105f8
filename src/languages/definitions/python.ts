import type { LiveLanguage } from '../language.ts';

export const python: LiveLanguage = {
  id: 'python',
  name: 'Python',
  aliases: ['py', 'python3', 'py3', 'ipython', 'pycon'],
  extensions: ['.py', '.pyw'],
  shebangs: ['python', 'python3'],
  interpreter: 'python',
};
