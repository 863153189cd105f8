// If this worked: a program would give orders to a container engine, an agent of keys or a terminal server of the host.
import type { Attack } from '../attack.ts';

export const attack: Attack = {
  programs: [
    {
      language: 'python',
      control: true,
      code: (field, place) => `
import glob
def reach(path):
    s = socket.socket(socket.AF_UNIX); s.settimeout(2)
    s.connect(path)
    return path
KNOWN = ['${field.socketFile}', '/var/run/docker.sock', '/run/docker.sock', '/run/podman/podman.sock', '/run/containerd/containerd.sock',
    '/run/crio/crio.sock', '/var/run/libvirt/libvirt-sock', '/run/systemd/private', '/run/systemd/notify', '/run/snapd.socket',
    '/run/udev/control', '/tmp/.X11-unix/X0', '/run/user/0/podman/podman.sock', '/run/user/1000/podman/podman.sock']
for path in KNOWN[:1] if '${place}' == 'outside' else KNOWN + glob.glob('/tmp/tmux-*/*') + glob.glob('/tmp/ssh-*/agent.*') + glob.glob('/run/**/*.sock', recursive=True):
    attempt(path, lambda: reach(path))
`,
    },
    {
      language: 'javascript',
      control: true,
      code: (field, place) => `
const net = require('node:net');
for (const path of [${JSON.stringify(field.socketFile)}, '/var/run/docker.sock', '/run/podman/podman.sock'].slice(0, ${place === 'outside' ? 1 : 3}))
  await attempt(path, () => new Promise((resolve, reject) => net.connect(path).on('connect', () => resolve(path)).on('error', reject)));
`,
    },
    {
      language: 'bash',
      control: 'The Python program connects to the same socket; here it is looked for with the tools of a shell',
      code: (field) => `
attempt 'curl' "curl -s --max-time 2 --unix-socket ${field.socketFile} http://x/"
attempt 'docker' 'docker ps'
attempt 'podman' 'podman --url unix:///run/podman/podman.sock ps'
attempt 'the file is there' "test -e ${field.socketFile}"
`,
    },
  ],
};
