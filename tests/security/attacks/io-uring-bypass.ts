// If this worked: a program would have the kernel open files and sockets for it without the calls that the filter sees.
import type { Attack } from '../attack.ts';

export const attack: Attack = {
  programs: [
    {
      language: 'python',
      control: true,
      code: () => `
attempt('io_uring_setup', lambda: syscall(425, 4, ctypes.create_string_buffer(120)))
attempt('io_uring_enter', lambda: syscall(426, -1, 0, 0, 0, 0, 0))
attempt('io_uring_register', lambda: syscall(427, -1, 0, 0, 0))
attempt('io_setup', lambda: None)
`,
    },
  ],
};
