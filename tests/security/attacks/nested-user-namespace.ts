// If this worked: a program would be root in a namespace of its own and take the wall's mounts apart from there.
import { type Attack, ENGINE_GAP } from '../attack.ts';

export const attack: Attack = {
  programs: [
    {
      language: 'python',
      not: ENGINE_GAP,
      control: 'root',
      code: (_field, place) => `
NEWUSER, NEWNS, NEWPID, NEWNET = 0x10000000, 0x00020000, 0x20000000, 0x40000000
libc = ctypes.CDLL(None, use_errno=True)
def checked(value):
    if value < 0: raise OSError(ctypes.get_errno(), 'refused')
    return 'ok'
def chain():
    """The whole way: a namespace, a mount in it, another root, and the old one beside it."""
    checked(libc.unshare(NEWUSER | NEWNS))
    checked(libc.mount(b'none', b'/tmp', b'tmpfs', 0, None))
    os.mkdir('/tmp/old')
    return 'mounted'
attempt('the whole chain', lambda: in_child(chain))
for flags in (NEWUSER, NEWNS, NEWPID, NEWNET, NEWUSER | NEWNS, NEWUSER | 1 << 40):
    attempt(f'unshare {flags:#x}', lambda: in_child(lambda: syscall(272, flags)))
    attempt(f'clone {flags:#x}', lambda: in_child(lambda: syscall(56, flags | 17, 0, 0, 0, 0)))
attempt('clone3', lambda: in_child(lambda: syscall(435, struct.pack('<11Q', NEWUSER, *[0] * 10), 88)))
for name in ('user', 'mnt', 'net', 'pid') if '${place}' == 'inside' else ():
    attempt('setns ' + name, lambda: in_child(lambda: syscall(308, os.open(f'/proc/1/ns/{name}', os.O_RDONLY), 0)))
`,
    },
    {
      language: 'bash',
      not: ENGINE_GAP,
      control: 'root',
      code: () => `
attempt 'unshare a user' 'unshare --user --map-root-user true'
attempt 'unshare mounts' 'unshare --mount true'
attempt 'nested wall' 'bwrap --bind / / --dev /dev true'
attempt 'chroot' 'chroot / true'
`,
    },
  ],
};
