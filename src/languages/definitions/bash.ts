import type { LiveLanguage } from '../language.ts';

export const bash: LiveLanguage = {
  id: 'bash',
  name: 'Bash',
  aliases: ['sh', 'shell', 'shellscript', 'shell-script', 'console', 'posix'],
  extensions: ['.sh', '.bash'],
  shebangs: ['bash', 'sh', 'dash'],
  interpreter: 'bash',
};
