// If this worked: a compiler or a linker would read a file of the host for a program that may not read it itself.
import type { Attack } from '../attack.ts';

export const attack: Attack = {
  programs: [
    {
      language: 'bash',
      control: true,
      timeout: 20,
      code: (field) => `
work=$(mktemp -d); cd "$work"
secret=${field.secretFile}
printf '#include "%s"\\n' "$secret" >include.c
attempt 'an include that is quoted in an error' 'gcc include.c -o include 2>&1 | grep -q canary[-]'
printf 'char *text = "x";\\n__asm__(".globl data\\\\ndata: .incbin \\\\"%s\\\\"\\\\n");\\nextern char data[]; int puts(const char*); int main() { return puts(data) < 0; }\\n' "$secret" >incbin.c
attempt 'bytes put into the binary' 'gcc incbin.c -o incbin && ./incbin | grep -q canary[-]'
attempt 'a linker script' 'ld -T "$secret" -o x /dev/null 2>&1 | grep -q canary[-]'
attempt 'a response file' 'gcc "@$secret" 2>&1 | grep -q canary[-]'
attempt 'an awk program' 'awk -f "$secret" 2>&1 | grep -q canary[-]'
cd /; rm -rf "$work"
`,
    },
    {
      language: 'python',
      control: 'A program without an end in a compiler would only take the time of the tests',
      alone: true,
      timeout: 15,
      code: () => `
import subprocess, shutil
def bomb(text, *options):
    open('/tmp/bomb.c', 'w').write(text)
    done = subprocess.run(['gcc', *options, '-c', '/tmp/bomb.c', '-o', '/tmp/bomb.o'], capture_output=True, timeout=3)
    return done.returncode == 0 and os.path.getsize('/tmp/bomb.o') > 300_000_000
attempt('an array of a gigabyte in the binary', lambda: bomb('char a[1 << 30] = {1};'))
attempt('an include of itself', lambda: bomb('#include "/tmp/bomb.c"\\n#include "/tmp/bomb.c"\\n'))
attempt('an endless device', lambda: bomb('#include "/dev/zero"\\n'))
`,
    },
  ],
};
