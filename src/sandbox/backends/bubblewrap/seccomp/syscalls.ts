/** Numbers of the system calls that the filter speaks of. `null`: the architecture does not have the call. */

export type Architecture = 'x64' | 'arm64';

type Numbers = readonly [x64: number, arm64: number | null];

export const SYSCALLS = {
  _sysctl: [156, null],
  acct: [163, 89],
  add_key: [248, 217],
  adjtimex: [159, 171],
  bpf: [321, 280],
  chmod: [90, null],
  chroot: [161, 51],
  clock_adjtime: [305, 266],
  clock_settime: [227, 112],
  clone: [56, 220],
  clone3: [435, 435],
  creat: [85, null],
  create_module: [174, null],
  delete_module: [176, 106],
  fanotify_init: [300, 262],
  fanotify_mark: [301, 263],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
  finit_module: [313, 273],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fsopen: [430, 430],
  fspick: [433, 433],
  get_kernel_syms: [177, null],
  init_module: [175, 105],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  io_uring_setup: [425, 425],
  ioctl: [16, 29],
  ioperm: [173, null],
  iopl: [172, null],
  kcmp: [312, 272],
  kexec_file_load: [320, 294],
  kexec_load: [246, 104],
  keyctl: [250, 219],
  lookup_dcookie: [212, 18],
  mbind: [237, 235],
  memfd_create: [319, 279],
  memfd_secret: [447, 447],
  migrate_pages: [256, 238],
  mknod: [133, null],
  mknodat: [259, 33],
  modify_ldt: [154, null],
  mount: [165, 40],
  mount_setattr: [442, 442],
  move_mount: [429, 429],
  move_pages: [279, 239],
  name_to_handle_at: [303, 264],
  nfsservctl: [180, 42],
  open: [2, null],
  open_by_handle_at: [304, 265],
  open_tree: [428, 428],
  openat: [257, 56],
  openat2: [437, 437],
  perf_event_open: [298, 241],
  personality: [135, 92],
  pidfd_getfd: [438, 438],
  pivot_root: [155, 41],
  process_madvise: [440, 440],
  process_mrelease: [448, 448],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  ptrace: [101, 117],
  query_module: [178, null],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  reboot: [169, 142],
  request_key: [249, 218],
  set_mempolicy: [238, 237],
  set_mempolicy_home_node: [450, 450],
  setdomainname: [171, 162],
  sethostname: [170, 161],
  setns: [308, 268],
  settimeofday: [164, 170],
  shmget: [29, 194],
  socket: [41, 198],
  socketpair: [53, 199],
  swapoff: [168, 225],
  swapon: [167, 224],
  sysfs: [139, null],
  syslog: [103, 116],
  umount2: [166, 39],
  unshare: [272, 97],
  uselib: [134, null],
  userfaultfd: [323, 282],
  ustat: [136, null],
  vhangup: [153, 58],
} as const satisfies Record<string, Numbers>;

export type SyscallName = keyof typeof SYSCALLS;

/** `futex_requeue`. Calls that are younger have not been looked at and do not exist behind the wall. */
export const LAST_KNOWN_SYSCALL = 456;

/**
 * The numbers between the architecture's own calls and those that all have alike. They were empty when this list was
 * made, and kernels have begun to fill them (`uretprobe` and `uprobe`, which they let past every filter).
 */
export const UNKNOWN_BETWEEN: Readonly<Record<Architecture, readonly [first: number, last: number]>> = {
  x64: [335, 423],
  arm64: [295, 423],
};

export function syscallNumber(name: SyscallName, architecture: Architecture): number | null {
  return SYSCALLS[name][architecture === 'x64' ? 0 : 1];
}
