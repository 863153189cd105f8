// If this worked: a program would make calls with numbers that mean something else to the filter than to the kernel.
import { type Attack, ENGINE_GAP } from '../attack.ts';

export const attack: Attack = {
  programs: [
    {
      language: 'python',
      not: ENGINE_GAP,
      control: true,
      code: (_field, place) => `
import mmap, platform
def run_code(code):
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(bytes(code))
    value = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
    if value < 0: raise OSError(-value, 'refused')
    return value
def only_here(action):
    if platform.machine() != 'x86_64': raise OSError(38, 'another processor')
    return in_child(action)
# mov eax, 20 (getpid of 32-bit programs); int 0x80; ret
attempt('int 0x80', lambda: only_here(lambda: run_code([0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xc3])))
# mov eax, 0x40000000 + 39; syscall; ret
attempt('x32 getpid', lambda: only_here(lambda: run_code([0xb8, 39, 0, 0, 0x40, 0x0f, 0x05, 0xc3])))
# the same with mount, which must not pass under its other number
if '${place}' == 'inside': attempt('x32 mount', lambda: only_here(lambda: run_code([0xb8, 165, 0, 0, 0x40, 0x0f, 0x05, 0xc3])))
`,
    },
  ],
};
