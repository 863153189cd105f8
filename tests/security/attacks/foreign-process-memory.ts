// If this worked: a program would read keys out of the server, or write code into it.
import { type Attack, ENGINE_GAP } from '../attack.ts';

export const attack: Attack = {
  programs: [
    {
      language: 'python',
      control: 'root',
      code: (field) => `
def read_memory(pid):
    spans = [line.split()[0].split('-') for line in open(f'/proc/{pid}/maps') if '[stack]' in line]
    with open(f'/proc/{pid}/mem', 'rb', 0) as memory:
        for low, high in spans:
            memory.seek(int(low, 16))
            if b'canary-' in memory.read(int(high, 16) - int(low, 16)): return 'found'
def vm_read(pid):
    buffer = ctypes.create_string_buffer(64)
    address = int([line for line in open(f'/proc/{pid}/maps')][0].split('-')[0], 16)
    local, remote = struct.pack('<QQ', ctypes.addressof(buffer), 64), struct.pack('<QQ', address, 64)
    return syscall(310, pid, local, 1, remote, 1, 0)
for pid in (${field.markedPid}, ${field.serverPid}):
    attempt(f'memory of {pid}', lambda: read_memory(pid))
    attempt(f'process_vm_readv of {pid}', lambda: vm_read(pid))
    attempt(f'descriptors of {pid}', lambda: os.listdir(f'/proc/{pid}/fd'))
`,
    },
    {
      language: 'python',
      not: ENGINE_GAP,
      control: 'What stops a process cannot be tried on processes of the machine; reading them is, above',
      code: (field) => `
for pid in (1, os.getppid(), ${field.markedPid}, ${field.serverPid}):
    for name, request in (('attach', 16), ('seize', 0x4206)):
        attempt(f'ptrace {name} {pid}', lambda: syscall(101, request, pid, 0, 0))
    attempt(f'process_vm_writev {pid}', lambda: syscall(311, pid, struct.pack('<QQ', id(pid), 8), 1, struct.pack('<QQ', 0x400000, 8), 1, 0))
    attempt(f'pidfd_getfd {pid}', lambda: syscall(438, syscall(434, pid, 0)[1], 0, 0))
    attempt(f'kcmp {pid}', lambda: syscall(312, os.getpid(), pid, 0, 0, 0))
`,
    },
  ],
};
