/**
 * The seccomp filter behind the wall: which system calls a program cannot make, and what it is told instead.
 *
 * Everything is allowed but the dangerous classes: mounts and namespaces, other processes' memory, keys, kernel
 * extensions and tracing, clocks, io_uring, odd socket families, terminal injection, set-user-id files, calls of
 * another architecture, and calls younger than this list. Capabilities and namespaces refuse most of these already;
 * the filter keeps the kernel code behind them out of reach.
 *
 * EPERM says "you may not"; ENOSYS says "this kernel has no such thing" where programs then take the older way.
 */
import { AppError } from '#contracts/errors';
import {
  allow,
  type Block,
  encode,
  fail,
  ifAnyBit,
  ifBetween,
  ifEqual,
  ifGreater,
  ifNotEqual,
  kill,
  loadArchitecture,
  loadArgument,
  loadNumber,
} from './assembler.ts';
import { type Architecture, LAST_KNOWN_SYSCALL, type SyscallName, syscallNumber, UNKNOWN_BETWEEN } from './syscalls.ts';

const ERRNO = { EPERM: 1, ENOSYS: 38, EPROTONOSUPPORT: 93, EAFNOSUPPORT: 97 } as const;

const AUDIT_ARCHITECTURE: Readonly<Record<Architecture, number>> = { x64: 0xc000003e, arm64: 0xc00000b7 };
/** Calls of the x32 ABI have this bit in their number. */
const X32_BIT = 0x40000000;

const DENIED: ReadonlyArray<readonly [errno: number, calls: readonly SyscallName[]]> = [
  [
    ERRNO.EPERM,
    ['mount', 'umount2', 'pivot_root', 'chroot', 'unshare', 'setns', 'name_to_handle_at', 'open_by_handle_at'],
  ],
  [ERRNO.EPERM, ['ptrace', 'process_vm_readv', 'process_vm_writev', 'process_madvise', 'process_mrelease']],
  [ERRNO.EPERM, ['pidfd_getfd', 'kcmp', 'add_key', 'request_key', 'keyctl', 'bpf', 'perf_event_open', 'syslog']],
  [ERRNO.EPERM, ['init_module', 'finit_module', 'delete_module', 'create_module', 'query_module', 'get_kernel_syms']],
  [ERRNO.EPERM, ['kexec_load', 'kexec_file_load', 'reboot', 'swapon', 'swapoff', 'acct', 'quotactl', 'quotactl_fd']],
  [ERRNO.EPERM, ['settimeofday', 'clock_settime', 'clock_adjtime', 'adjtimex', 'sethostname', 'setdomainname']],
  [ERRNO.EPERM, ['iopl', 'ioperm', 'modify_ldt', 'vhangup', 'fanotify_init', 'fanotify_mark', 'lookup_dcookie']],
  [ERRNO.EPERM, ['mbind', 'set_mempolicy', 'set_mempolicy_home_node', 'migrate_pages', 'move_pages']],
  [ERRNO.ENOSYS, ['_sysctl', 'nfsservctl', 'sysfs', 'uselib', 'ustat', 'userfaultfd', 'memfd_secret']],
  [ERRNO.ENOSYS, ['io_uring_setup', 'io_uring_enter', 'io_uring_register']],
  [ERRNO.ENOSYS, ['open_tree', 'move_mount', 'fsopen', 'fsconfig', 'fsmount', 'fspick', 'mount_setattr']],
  // Their flags are behind a pointer, where a filter cannot look. The C library falls back to clone and openat.
  [ERRNO.ENOSYS, ['clone3', 'openat2']],
];

/** Memory that no process has mapped, so that adding up processes would miss it. */
const UNMAPPED_MEMORY: readonly SyscallName[] = ['memfd_create', 'shmget'];

/** All CLONE_NEW* flags that clone takes. */
const CLONE_NEW_FLAGS = 0x7e020000;
/** S_ISUID and S_ISGID. */
const SET_ID_BITS = 0o6000;
/** O_CREAT and O_TMPFILE: only with these is there a mode to look at. */
const CREATING_FLAGS = 0o100 | 0o20000000;

const FAMILY = { unix: 1, inet: 2, inet6: 10, netlink: 16 } as const;
/** None named, ICMP, TCP, UDP, ICMPv6. */
const INET_PROTOCOLS = [0, 1, 6, 17, 58];
const NETLINK_ROUTE = 0;

/** TIOCSTI, TIOCLINUX, TIOCCONS, TIOCSETD: input for a terminal, its selection, its console, its line discipline. */
const TERMINAL_INJECTION = [0x5412, 0x541c, 0x541d, 0x5423];

const QUERY_PERSONALITY = 0xffffffff;

export interface FilterOptions {
  readonly architecture: Architecture;
  /** Without a memory cgroup: no memory outside of address spaces, where the watchdog would not see it. */
  readonly mappedMemoryOnly: boolean;
}

/** The filter as bytes for `--seccomp`. */
export function buildFilter({ architecture, mappedMemoryOnly }: FilterOptions): Buffer {
  const denied = mappedMemoryOnly ? [...DENIED, [ERRNO.ENOSYS, UNMAPPED_MEMORY] as const] : DENIED;
  return encode([
    ...loadArchitecture,
    // `int 0x80` and 32-bit programs would come with numbers that mean other calls.
    ...ifNotEqual(AUDIT_ARCHITECTURE[architecture], kill),
    ...loadNumber,
    ...(architecture === 'x64' ? ifAnyBit(X32_BIT, fail(ERRNO.ENOSYS)) : []),
    ...ifGreater(LAST_KNOWN_SYSCALL, fail(ERRNO.ENOSYS)),
    ...ifBetween(...UNKNOWN_BETWEEN[architecture], fail(ERRNO.ENOSYS)),
    ...denied.flatMap(([errno, calls]) => calls.flatMap((call) => onCall(call, architecture, fail(errno)))),
    ...Object.entries(argumentRules()).flatMap(([call, rule]) => onCall(call as SyscallName, architecture, rule)),
    ...allow,
  ]);
}

export function filterArchitecture(architecture: string): Architecture {
  if (architecture === 'x64' || architecture === 'arm64') return architecture;
  throw new AppError('SANDBOX_UNAVAILABLE', `There is no system-call filter for this processor (${architecture})`, {
    hint: 'Use --sandbox embedded',
  });
}

function onCall(call: SyscallName, architecture: Architecture, rule: Block): Block {
  const number = syscallNumber(call, architecture);
  return number === null ? [] : ifEqual(number, rule);
}

/** Each ends in a return. */
function argumentRules(): Partial<Record<SyscallName, Block>> {
  return {
    clone: [...loadArgument(0), ...ifAnyBit(CLONE_NEW_FLAGS, fail(ERRNO.EPERM)), ...allow],
    ioctl: [
      ...loadArgument(1),
      ...TERMINAL_INJECTION.flatMap((request) => ifEqual(request, fail(ERRNO.EPERM))),
      ...allow,
    ],
    personality: [...loadArgument(0), ...ifEqual(0, allow), ...ifEqual(QUERY_PERSONALITY, allow), ...fail(ERRNO.EPERM)],
    socket: socketRule(),
    socketpair: [...loadArgument(0), ...ifEqual(FAMILY.unix, allow), ...fail(ERRNO.EAFNOSUPPORT)],
    chmod: noSetId(1),
    fchmod: noSetId(1),
    fchmodat: noSetId(2),
    fchmodat2: noSetId(2),
    creat: noSetId(1),
    mknod: noSetId(1),
    mknodat: noSetId(2),
    open: [...loadArgument(1), ...ifAnyBit(CREATING_FLAGS, noSetId(2)), ...allow],
    openat: [...loadArgument(2), ...ifAnyBit(CREATING_FLAGS, noSetId(3)), ...allow],
  };
}

function noSetId(modeArgument: number): Block {
  return [...loadArgument(modeArgument), ...ifAnyBit(SET_ID_BITS, fail(ERRNO.EPERM)), ...allow];
}

function socketRule(): Block {
  const protocols = (allowed: readonly number[]): Block => [
    ...loadArgument(2),
    ...allowed.flatMap((protocol) => ifEqual(protocol, allow)),
    ...fail(ERRNO.EPROTONOSUPPORT),
  ];
  return [
    ...loadArgument(0),
    ...ifEqual(FAMILY.unix, allow),
    ...ifEqual(FAMILY.inet, protocols(INET_PROTOCOLS)),
    ...ifEqual(FAMILY.inet6, protocols(INET_PROTOCOLS)),
    ...ifEqual(FAMILY.netlink, protocols([NETLINK_ROUTE])),
    ...fail(ERRNO.EAFNOSUPPORT),
  ];
}
