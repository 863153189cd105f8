// If this worked: a program would leave something behind that runs on the host later: a profile, a hook, a command.
import type { Attack } from '../attack.ts';

export const attack: Attack = {
  programs: [
    {
      language: 'python',
      byEffect: true,
      control: 'It would change the machine that runs the tests; writing to the home of this field is tried below',
      code: (field) => `
places = ['/root/.bashrc', '/root/.profile', '/root/.ssh/authorized_keys', '/etc/profile.d/x.sh', '/etc/cron.d/x', '/etc/ld.so.preload', '/etc/passwd',
    '/usr/local/bin/python3', '/usr/bin/x', '/usr/lib/python3/dist-packages/x.pth', '/var/spool/cron/crontabs/root', '/etc/systemd/system/x.service',
    '/lib/systemd/system/x.service', '/etc/sudoers.d/x', '/boot/x', '/srv/x', '/opt/x', '/var/lib/x', '/home/x', '/run/x', '/usr/share/x', '/sbin/x',
    '${field.connection.stateDir}/x', '${field.home}/.bashrc']
for path in places:
    attempt(path, lambda: write_text(path, 'x', 'a'))
for path in ('/usr/bin/env', '/etc/hosts', '/usr/lib/os-release'):
    attempt('unlink ' + path, lambda: os.unlink(path) or 'gone')
    attempt('rename ' + path, lambda: os.rename(path, '/tmp/stolen') or 'moved')
    attempt('link ' + path, lambda: os.link(path, '/workspace/hard') or 'linked')
    attempt('times of ' + path, lambda: os.utime(path, (0, 0)) or 'set')
`,
    },
    {
      language: 'bash',
      byEffect: true,
      control: true,
      code: (field, place) => `
home=${place === 'outside' ? '.' : field.home}
attempt 'profile' "echo x >>$home/.bash_profile"
attempt 'hook' "mkdir -p $home/.git/hooks && echo x >$home/.git/hooks/pre-commit"
attempt 'client' "echo {} >$home/.mcp.json"
attempt 'editor' "mkdir -p $home/.vscode && echo {} >$home/.vscode/tasks.json"
`,
    },
    {
      language: 'javascript',
      byEffect: true,
      control: true,
      code: (field, place) => `
const fs = require('node:fs');
const home = ${JSON.stringify(place === 'outside' ? '.' : field.home)};
await attempt('profile', () => (fs.appendFileSync(home + '/.zshrc', 'x'), 'written'));
await attempt('npm', () => (fs.writeFileSync(home + '/.npmrc', 'x'), 'written'));
`,
    },
  ],
};
