// If this worked: a write that is meant for a label or a limit of one process would land in a setting of the kernel.
import { type Attack, ENGINE_GAP } from '../attack.ts';

export const attack: Attack = {
  programs: [
    {
      language: 'python',
      byEffect: true,
      not: ENGINE_GAP,
      control:
        'Even root needs a capability for these that machines of tests do not have; the values are looked at instead',
      code: () => `
# Each would loosen something: to be the last that goes when memory is short, another user, another label.
attempt('oom_score_adj', lambda: write_text('/proc/self/oom_score_adj', '-999') and int(read_text('/proc/self/oom_score_adj')) < 0)
for name in ('uid_map', 'gid_map', 'projid_map'):
    attempt(name, lambda: write_text(f'/proc/self/{name}', '0 0 4294967295'))
for name in ('current', 'exec', 'fscreate', 'keycreate', 'sockcreate', 'apparmor/current', 'apparmor/exec'):
    attempt('attr/' + name, lambda: write_text(f'/proc/self/attr/{name}', 'unconfined'))
for name in ('loginuid', 'sched', 'autogroup'):
    attempt(name, lambda: os.getuid() != 0 and name == 'loginuid' and write_text(f'/proc/self/{name}', '0'))
`,
    },
    {
      language: 'python',
      byEffect: true,
      control: 'It would change settings of the whole machine; the open for writing is shown to work by kernel-knobs',
      code: () => `
def link_swap(target):
    path = f'/tmp/swap{os.getpid()}'
    if os.path.lexists(path): os.unlink(path)
    os.symlink(target, path)
    return write_text(path, '1')
for target in ('/proc/sys/kernel/hostname', '/proc/sys/vm/overcommit_memory', '/proc/sysrq-trigger', '/proc/self/attr/../../sys/kernel/panic',
    '/proc/thread-self/attr/../../../sys/kernel/core_pattern', '/proc/1/oom_score_adj'):
    attempt('through a link to ' + target, lambda: link_swap(target) if target != '/proc/1/oom_score_adj' else None)
`,
    },
  ],
};
