// If this worked: a program would reach X11 or a session's daemons, whose abstract sockets no file permission guards.
import type { Attack } from '../attack.ts';

export const attack: Attack = {
  programs: [
    {
      language: 'python',
      control: true,
      code: (field) => `
def reach(name):
    s = socket.socket(socket.AF_UNIX); s.settimeout(2); s.connect('\\0' + name)
    return name
for name in ('${field.abstractName}', '/tmp/.X11-unix/X0', '/tmp/.ICE-unix/1', '/tmp/dbus-session'):
    attempt(name, lambda: reach(name))
attempt('the list of sockets', lambda: '${field.abstractName}' in read_text('/proc/net/unix'))
`,
    },
  ],
};
