// If this worked: a file that runs as its owner, or a device, would give a program more than it had.
import assert from 'node:assert/strict';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Attack, ENGINE_GAP } from '../attack.ts';

const MAKE = `
write_text('copied', '#!/bin/sh\\nid\\n')
def marked(mode):
    os.chmod('copied', mode)
    return os.stat('copied').st_mode & 0o6000
attempt('set-user-id', lambda: marked(0o4755))
attempt('set-group-id', lambda: marked(0o2755))
attempt('fchmod', lambda: os.fchmod(os.open('copied', os.O_RDONLY), 0o4755) or os.stat('copied').st_mode & 0o6000)
attempt('made with it', lambda: os.close(os.open('made', os.O_CREAT | os.O_WRONLY, 0o4755)) or os.stat('made').st_mode & 0o6000)
attempt('mknod with it', lambda: os.mknod('node', 0o104755) or os.stat('node').st_mode & 0o6000)
attempt('file capability', lambda: os.setxattr('copied', 'security.capability', struct.pack('<IIIII', 0x02000001, 0xffffffff, 0, 0xffffffff, 0)) or 'set')
for name, kind, major, minor in (('null', stat.S_IFCHR, 1, 3), ('mem', stat.S_IFCHR, 1, 1), ('disk', stat.S_IFBLK, 8, 0), ('loop', stat.S_IFBLK, 7, 0)):
    attempt('device ' + name, lambda: os.mknod('device-' + name, 0o666 | kind, os.makedev(major, minor)) or 'made')
`;

export const attack: Attack = {
  programs: [
    { language: 'python', control: true, byEffect: true, not: ENGINE_GAP, code: () => MAKE },
    {
      language: 'python',
      control: 'Outside, what this looks at is the state of a person who was given all that',
      not: { embedded: 'one process of the same user is what that wall is; its permissions are not the kernel’s' },
      code: () => `
status = {line.split(':')[0]: line.split(':')[1].strip() for line in open('/proc/self/status')}
for name in ('CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'):
    attempt(name, lambda: int(status[name], 16))
attempt('may gain privileges', lambda: status['NoNewPrivs'] != '1')
attempt('no filter', lambda: status['Seccomp'] != '2')
attempt('is root', lambda: 0 in os.getresuid() + os.getresgid())
attempt('groups', lambda: [group for group in os.getgroups() if group == 0])
for uid in (0, 1, 65534):
    attempt(f'setuid {uid}', lambda: uid != os.getuid() and (os.setuid(uid) or 'set'))
for command in (['su', '-c', 'id -u'], ['sudo', '-n', 'id', '-u'], ['pkexec', 'id', '-u'], ['newgrp', 'root'], ['mount', '--bind', '/tmp', '/mnt']):
    import subprocess
    attempt(command[0], lambda: subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=5).returncode == 0)
`,
    },
  ],
  checks: [
    {
      name: 'no file with such a mark is left on the disk of the host where another user gets at it',
      control: 'The program above is shown to make such files where there is no wall',
      holds: async (field) => {
        const root = join(field.connection.stateDir, 'sessions');
        for (const name of await readdir(root)) {
          // A folder that nobody else may pass through, and that the program cannot open.
          const isClosed = ((await lstat(join(root, name))).mode & 0o077) === 0;
          for (const path of await marked(join(root, name))) assert.ok(isClosed, path);
        }
      },
    },
  ],
};

async function marked(home: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(home, { recursive: true, withFileTypes: true }).catch(() => [])) {
    const path = join(entry.parentPath, entry.name);
    const info = await lstat(path).catch(() => undefined); // gone meanwhile
    if (!info || info.isDirectory()) continue;
    if ((info.mode & 0o6000) !== 0 || info.isBlockDevice() || info.isCharacterDevice()) found.push(path);
  }
  return found;
}
