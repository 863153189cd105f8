// If this worked: a descriptor of the host that was left open would lead a program out of its root, to any file.
import type { Attack } from '../attack.ts';

const LOOK = `
OWN = ('/workspace', '/tmp', '/usr/', '/run/sallyport/', '/dev/null', '/lib', '/proc/', sys.prefix)
def foreign(pid):
    found = []
    for fd in os.listdir(f'/proc/{pid}/fd'):
        path = f'/proc/{pid}/fd/{fd}'
        try:
            link, mode = os.readlink(path), os.stat(path).st_mode
        except OSError:
            continue
        if not (stat.S_ISDIR(mode) or stat.S_ISREG(mode) or stat.S_ISBLK(mode)): continue
        if not link.startswith(OWN): found.append((pid, fd, link))
    return found
`;

export const attack: Attack = {
  programs: [
    {
      language: 'python',
      control: true,
      code: () => `${LOOK}
attempt('own descriptors', lambda: foreign('self'))
def up(fd):
    return os.open('../../../../../../etc/shadow', os.O_RDONLY, dir_fd=fd)
for fd in range(0, 64):
    attempt(f'up from {fd}', lambda: up(fd))
`,
    },
    {
      language: 'python',
      control: 'The first program shows that a leaked folder is found; here it is looked for in all processes in sight',
      code: () => `${LOOK}
for pid in filter(str.isdigit, os.listdir('/proc')):
    attempt(f'descriptors of {pid}', lambda: foreign(pid))
    attempt(f'root of {pid}', lambda: os.stat(f'/proc/{pid}/root').st_ino != os.stat('/').st_ino)
    attempt(f'out of the folder of {pid}', lambda: read_text(f'/proc/{pid}/cwd/../../../../../../../etc/shadow'))
attempt('at all', lambda: None)
`,
    },
    {
      language: 'javascript',
      control: true,
      code: (field, place) => `
const fs = require('node:fs');
const from = '${place}' === 'outside' ? [7] : Array.from({ length: 64 }, (_, fd) => fd);
for (const fd of from) await attempt('through ' + fd, () => fs.readFileSync('/proc/self/fd/' + fd + '/secret.txt', 'utf8'));
await attempt('the file itself', () => fs.readFileSync(${JSON.stringify(field.secretFile)}, 'utf8'));
`,
    },
  ],
};
