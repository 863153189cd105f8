// If this worked: a program would fetch the machine's cloud credentials, or use services that trust their own network.
import type { Attack } from '../attack.ts';

const connect = (addresses: string) => `
def reach(host, port, family=socket.AF_INET):
    s = socket.socket(family, socket.SOCK_STREAM); s.settimeout(1); s.connect((host, port))
    return host
for host, port in ${addresses}:
    attempt(f'{host} {port}', lambda: reach(host, port, socket.AF_INET6 if ':' in host else socket.AF_INET))
`;

export const attack: Attack = {
  programs: [
    {
      language: 'python',
      control: true,
      code: ({ hostAddresses, port }) =>
        connect(JSON.stringify([...hostAddresses, '127.0.0.1', '0.0.0.0', '127.1'].map((host) => [host, port]))),
    },
    {
      language: 'python',
      control:
        'The addresses belong to others, who must not be asked by a test; reaching the host itself is shown above',
      code: () =>
        connect(
          "[(h, p) for h in ('169.254.169.254', 'fd00:ec2::254', '100.100.100.200', '10.0.0.1', '172.17.0.1', '192.168.0.1', '192.168.1.1', '169.254.170.2', '::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1', 'fe80::1', '1.1.1.1', '2606:4700::1111') for p in (80, 443)]",
        ),
    },
    {
      language: 'javascript',
      control: true,
      code: ({ hostAddresses, port }) => `
const net = require('node:net');
for (const host of ${JSON.stringify([...hostAddresses, '127.0.0.1', 'localhost'])})
  await attempt(host, () => new Promise((resolve, reject) => net.connect({ host, port: ${port}, timeout: 1000 }).on('connect', () => resolve(host)).on('timeout', () => reject(new Error('timeout'))).on('error', reject)));
await attempt('fetch', () => fetch('http://127.0.0.1:${port}/', { signal: AbortSignal.timeout(1000) }));
await attempt('WebSocket', () => new Promise((resolve, reject) => { const s = new WebSocket('ws://127.0.0.1:${port}/'); s.onopen = resolve; s.onerror = reject; setTimeout(reject, 1000); }));
`,
    },
    {
      language: 'bash',
      byEffect: true,
      control: true,
      code: ({ hostAddresses, port }) =>
        hostAddresses.map((host) => `attempt '${host}' 'exec 5<>/dev/tcp/${host}/${port}'`).join('\n'),
    },
  ],
};
