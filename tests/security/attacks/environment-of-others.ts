// If this worked: a program would read the tokens that the server or another process was started with.
import type { Attack } from '../attack.ts';

export const attack: Attack = {
  programs: [
    {
      language: 'python',
      control: true,
      code: () => `
def search(name):
    for pid in filter(str.isdigit, os.listdir('/proc')):
        for path in (f'/proc/{pid}/{name}', f'/proc/{pid}/task/{pid}/{name}'):
            try:
                if 'canary-' in read_text(path): return path
            except OSError: pass
attempt('environ', lambda: search('environ'))
attempt('own', lambda: 'canary-' in repr(dict(os.environ)))
attempt('command lines', lambda: search('cmdline'))
`,
    },
    {
      language: 'javascript',
      control: true,
      code: () => `
const fs = require('node:fs');
await attempt('process.env', () => JSON.stringify({ ...process.env }).includes('canary-'));
await attempt('/proc', () => fs.readdirSync('/proc').filter((n) => /^[0-9]+$/.test(n)).some((pid) => {
  try { return fs.readFileSync('/proc/' + pid + '/environ', 'latin1').includes('canary-') } catch { return false }
}));
`,
    },
    {
      language: 'bash',
      control: true,
      code: () => `
attempt 'env' 'env | grep -q canary[-]'
attempt 'set' 'set | grep -v grep | grep -q canary[-]'
attempt 'proc' 'cat /proc/[0-9]*/environ 2>/dev/null | grep -aq canary[-]'
`,
    },
  ],
};
