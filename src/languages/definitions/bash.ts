import type { LanguageDefinition } from '../language.ts';

export const bash: LanguageDefinition = {
  id: 'bash',
  name: 'Bash',
  aliases: ['sh', 'shell', 'shellscript', 'shell-script', 'console', 'posix'],
  extensions: ['.sh', '.bash'],
  shebangs: ['bash', 'sh', 'dash'],
  interpreter: 'bash',
};
