/** The dangerous system calls, made by number behind the wall: what a hostile program would get. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type SyscallName, syscallNumber } from './seccomp/syscalls.ts';
import { BackendUnderTest, type Program } from './under-test.ts';

const architecture = process.arch === 'arm64' ? 'arm64' : 'x64';

/** errno of the call; 0 when it succeeded. */
const CALL = `
import ctypes, errno, os, signal, struct, subprocess, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *args):
    ctypes.set_errno(0)
    value = libc.syscall(number, *[ctypes.c_long(a) if isinstance(a, int) else a for a in args])
    return 'ok' if value >= 0 else errno.errorcode[ctypes.get_errno()]
def in_child(action):
    pid = os.fork()
    if pid == 0:
        try:
            action()
        finally:
            os._exit(0)
    status = os.waitpid(pid, 0)[1]
    return signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
`;

const NEW_USER = 0x10000000;
const cases: ReadonlyArray<readonly [verdict: string, call: SyscallName, ...args: Array<number | string>]> = [
  ['EPERM', 'mount', "b'none'", "b'/tmp'", "b'tmpfs'", 0, 0],
  ['EPERM', 'umount2', "b'/proc'", 2],
  ['EPERM', 'pivot_root', "b'/tmp'", "b'/tmp'"],
  ['EPERM', 'chroot', "b'/tmp'"],
  ['EPERM', 'unshare', NEW_USER],
  ['EPERM', 'unshare', 0x20000],
  ['EPERM', 'setns', 0, 0],
  ['EPERM', 'clone', NEW_USER | 17, 0, 0, 0, 0],
  ['EPERM', 'clone', 0x40000000 | 17, 0, 0, 0, 0],
  ['ENOSYS', 'clone3', 0, 0],
  ['EPERM', 'ptrace', 16, 1, 0, 0],
  ['EPERM', 'process_vm_readv', 1, 0, 0, 0, 0, 0],
  ['EPERM', 'process_vm_writev', 1, 0, 0, 0, 0, 0],
  ['EPERM', 'pidfd_getfd', 0, 0, 0],
  ['EPERM', 'kcmp', 1, 1, 0, 0, 0],
  ['EPERM', 'keyctl', 0, 0, 0],
  ['EPERM', 'add_key', 0, 0, 0, 0, 0],
  ['EPERM', 'request_key', 0, 0, 0, 0],
  ['EPERM', 'bpf', 0, 0, 0],
  ['EPERM', 'perf_event_open', 0, 0, 0, 0, 0],
  ['EPERM', 'open_by_handle_at', 0, 0, 0],
  ['EPERM', 'name_to_handle_at', 0, 0, 0, 0, 0],
  ['EPERM', 'init_module', 0, 0, 0],
  ['EPERM', 'finit_module', 0, 0, 0],
  ['EPERM', 'kexec_load', 0, 0, 0, 0],
  ['EPERM', 'reboot', 0, 0, 0, 0],
  ['EPERM', 'syslog', 3, 0, 0],
  ['EPERM', 'clock_settime', 0, 0],
  ['EPERM', 'fanotify_init', 0, 0],
  ['ENOSYS', 'io_uring_setup', 1, 0],
  ['ENOSYS', 'io_uring_enter', 0, 0, 0, 0, 0],
  ['ENOSYS', 'io_uring_register', 0, 0, 0, 0],
  ['ENOSYS', 'userfaultfd', 0],
  ['ENOSYS', 'fsopen', "b'tmpfs'", 0],
  ['ENOSYS', 'open_tree', -100, "b'/'", 1],
  ['ENOSYS', 'move_mount', 0, 0, 0, 0, 0],
  ['ENOSYS', 'mount_setattr', -100, "b'/'", 0, 0, 0],
  ['ENOSYS', 'openat2', -100, "b'/'", 0, 0],
  ['EPERM', 'ioctl', 0, 0x5412, 0],
  ['EPERM', 'ioctl', 0, '0x500005412', 0],
  ['EPERM', 'ioctl', 0, 0x541c, 0],
  ['EPERM', 'personality', 0x0040000],
  ['ok', 'personality', '0xffffffff'],
  ['EAFNOSUPPORT', 'socket', 17, 3, 0],
  ['EAFNOSUPPORT', 'socket', 38, 5, 0],
  ['EAFNOSUPPORT', 'socket', 40, 1, 0],
  ['EAFNOSUPPORT', 'socket', 44, 3, 0],
  ['EPROTONOSUPPORT', 'socket', 16, 3, 12],
  ['EPROTONOSUPPORT', 'socket', 2, 1, 132],
  ['ok', 'socket', 16, 3, 0],
  ['EPERM', 'fchmodat', -100, "b'/tmp'", 0o4755],
];

describe('system calls behind the wall', () => {
  let wall: BackendUnderTest;
  let python: Program;

  before(async () => {
    wall = new BackendUnderTest();
    python = await wall.start('python');
    await python.ask(CALL);
  });
  after(() => wall.close());

  for (const [verdict, name, ...args] of cases) {
    it(`${name}(${args.join(', ')}) answers ${verdict}`, async () => {
      assert.equal(
        await python.ask(`result = call(${[syscallNumber(name, architecture), ...args].join(', ')})`),
        verdict,
      );
    });
  }

  it('calls that are younger than the list do not exist', async () => {
    assert.equal(await python.ask('result = call(457)'), 'ENOSYS');
  });

  it('a file cannot be made to run as its owner', async () => {
    const verdicts = await python.ask(`
import shutil
shutil.copy('/bin/sh', '/workspace/sh')
def attempt(mode):
    try:
        os.chmod('/workspace/sh', mode)
        return 'ok'
    except OSError as error:
        return errno.errorcode[error.errno]
result = [attempt(0o755), attempt(0o4755), attempt(0o2755), attempt(0o1755)]`);
    assert.deepEqual(verdicts, ['ok', 'EPERM', 'EPERM', 'ok']);
  });

  it('a device cannot be made', async () => {
    const code = `
import stat
def node():
    try:
        os.mknod('/workspace/null', 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        return 'ok'
    except OSError as error:
        return errno.errorcode[error.errno]
result = node()`;
    assert.equal(await python.ask(code), 'EPERM');
  });

  it('a call of the 32-bit kind kills its process', { skip: architecture !== 'x64' }, async () => {
    // mov eax, 20 (getpid); int 0x80; ret
    const code = `
import mmap
def legacy():
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(bytes([0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xc3]))
    ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
result = in_child(legacy)`;
    assert.equal(await python.ask(code), 'SIGSYS');
  });

  it('a call of the x32 kind does not exist', { skip: architecture !== 'x64' }, async () => {
    assert.equal(await python.ask('result = call(0x40000000 + 39)'), 'ENOSYS');
  });

  it('threads, pools, pipes and terminals of its own still work', async () => {
    const code = `
import concurrent.futures, multiprocessing, pty, threading
def double(n):
    return n * 2
values = []
thread = threading.Thread(target=lambda: values.append(1)); thread.start(); thread.join()
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    values += pool.map(double, [1, 2])
with multiprocessing.get_context('fork').Pool(2) as pool:
    values += pool.map(abs, [-5, -6])
master, slave = pty.openpty(); os.write(slave, b'x'); values.append(os.read(master, 1).decode())
values.append(subprocess.run(['sh', '-c', 'echo child | tr a-z A-Z'], capture_output=True, text=True).stdout)
result = values`;
    assert.deepEqual(await python.ask(code), [1, 2, 4, 5, 6, 'x', 'CHILD\n']);
  });
});
