// If this worked: two sessions would exchange data, or read the host's, through keys, shared memory or queues of the kernel.
import assert from 'node:assert/strict';
import { answerOf } from '../../support/client.ts';
import { type Attack, ENGINE_GAP } from '../attack.ts';

const KEY = 0x5a11;
const NO_KERNEL = { embedded: 'programs there make no system calls' };

const write = `
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
ids = {'shm': libc.shmget(${KEY}, 4096, 0o1666), 'msg': libc.msgget(${KEY}, 0o1666), 'sem': libc.semget(${KEY}, 1, 0o1666)}
ids['mq'] = ctypes.CDLL('librt.so.1', use_errno=True).mq_open(b'/sallyport', 0o100 | 2, 0o666, None) if os.path.exists('/lib/x86_64-linux-gnu/librt.so.1') else -1
ids['key'] = libc.syscall(248, b'user', b'sallyport', b'data', 4, -3)
print(sorted(name for name, number in ids.items() if number >= 0))
`;
const read = `
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
ids = {'shm': libc.shmget(${KEY}, 0, 0), 'msg': libc.msgget(${KEY}, 0), 'sem': libc.semget(${KEY}, 0, 0)}
ids['mq'] = ctypes.CDLL('librt.so.1', use_errno=True).mq_open(b'/sallyport', 0) if os.path.exists('/lib/x86_64-linux-gnu/librt.so.1') else -1
ids['key'] = libc.syscall(249, b'user', b'sallyport', None, 0)
print(sorted(name for name, number in ids.items() if number >= 0))
`;
const clean = `
import ctypes
libc = ctypes.CDLL(None)
libc.shmctl(libc.shmget(${KEY}, 0, 0), 0, None); libc.msgctl(libc.msgget(${KEY}, 0), 0, None); libc.semctl(libc.semget(${KEY}, 0, 0), 0, 0)
ctypes.CDLL('librt.so.1').mq_unlink(b'/sallyport')
`;

export const attack: Attack = {
  programs: [
    {
      language: 'python',
      control: true,
      code: () => `
attempt('add_key', lambda: syscall(248, b'user', b'sallyport-test', b'data', 4, -1))
attempt('keyctl', lambda: syscall(250, 0, -3, 1))
attempt('request_key', lambda: syscall(249, b'user', b'sallyport-test', 0, 0))
attempt('keys of others', lambda: [line for line in open('/proc/keys') if line.strip()][:1] if os.path.exists('/proc/keys') else None)
`,
      not: { ...ENGINE_GAP, embedded: 'programs there make no system calls, and /proc is not the host’s' },
    },
  ],
  checks: [
    {
      name: 'objects that one session makes are not found by another, nor by the host',
      not: NO_KERNEL,
      holds: async (field) => {
        await field.run({ session: 'ipc-writes', language: 'python', code: write });
        const other = answerOf(await field.run({ session: 'ipc-reads', language: 'python', code: read }));
        assert.equal(other.out, '[]\n');
        assert.match(await field.outside('python', read), /^\[\]$/m);
      },
      control: async (field) => {
        await field.outside('python', write);
        const printed = await field.outside('python', `${read}\n${clean}`);
        assert.match(printed, /'shm'/);
      },
    },
    {
      name: 'a lease on a file of the host is refused',
      not: NO_KERNEL,
      control: 'A lease needs the file’s owner or a capability, which a test outside may have on any file',
      holds: async (field) => {
        const code =
          'import fcntl\ntry:\n    print(fcntl.fcntl(open("/usr/bin/env"), fcntl.F_SETLEASE, fcntl.F_RDLCK))\nexcept OSError: print("refused")';
        assert.equal(answerOf(await field.run({ session: 'ipc-reads', language: 'python', code })).out, 'refused\n');
      },
    },
  ],
};
