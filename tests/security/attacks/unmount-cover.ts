// If this worked: a program would take away what is mounted over the parts of the host that it must not see or write.
import type { Attack } from '../attack.ts';

export const attack: Attack = {
  programs: [
    {
      language: 'python',
      control: 'root',
      wrapOutside: ['unshare', '--mount', '--propagation', 'private'],
      code: (_field, place) => `
libc = ctypes.CDLL(None, use_errno=True)
def checked(value):
    if value < 0: raise OSError(ctypes.get_errno(), 'refused')
    return 'ok'
MNT_DETACH, MS_REMOUNT, MS_BIND, MS_MOVE = 2, 32, 4096, 8192
places = {'inside': ['/proc', '/dev', '/dev/shm', '/tmp', '/usr', '/workspace', '/output', '/run/sallyport/inside', '/'],
    'outside': ['/dev/shm']}['${place}']
for path in places:
    attempt('umount ' + path, lambda: checked(libc.umount2(path.encode(), MNT_DETACH)))
    attempt('plain umount ' + path, lambda: checked(libc.umount(path.encode())))
    attempt('make writable ' + path, lambda: checked(libc.mount(None, path.encode(), None, MS_REMOUNT | MS_BIND, None)))
    attempt('move ' + path, lambda: checked(libc.mount(path.encode(), b'/tmp', None, MS_MOVE, None)))
    attempt('open_tree ' + path, lambda: syscall(428, -100, path.encode(), 1))
    attempt('mount_setattr ' + path, lambda: syscall(442, -100, path.encode(), 0, struct.pack('<4Q', 0, 1, 0, 0), 32))
attempt('pivot_root', lambda: '${place}' == 'inside' and syscall(155, b'/tmp', b'/tmp'))
attempt('a new file system', lambda: syscall(430, b'tmpfs', 0) if '${place}' == 'inside' else None)
`,
    },
  ],
};
