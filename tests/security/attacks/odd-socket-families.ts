// If this worked: a program would talk past the network namespace (vsock, packet), or reach rarely used kernel code.
import { type Attack, ENGINE_GAP } from '../attack.ts';

export const attack: Attack = {
  programs: [
    {
      language: 'python',
      not: ENGINE_GAP,
      control: 'root',
      code: (_field, place) => `
NAMES = {9: 'X25', 15: 'KEY', 17: 'PACKET', 21: 'RDS', 24: 'PPPOX', 26: 'LLC', 29: 'CAN', 30: 'TIPC', 31: 'BLUETOOTH', 35: 'PHONET',
    36: 'IEEE802154', 37: 'CAIF', 38: 'ALG', 39: 'NFC', 40: 'VSOCK', 41: 'KCM', 42: 'QIPCRTR', 43: 'SMC', 44: 'XDP', 45: 'MCTP'}
for family, name in ({17: 'PACKET'} if '${place}' == 'outside' else NAMES).items():
    for kind in (1, 2, 3, 5):
        attempt(f'{name} of kind {kind}', lambda: socket.socket(family, kind, 0))
for kind in (1, 3):
    attempt(f'raw {kind}', lambda: socket.socket(2, 3, 255))
for protocol in () if '${place}' == 'outside' else (2, 4, 6, 9, 12, 15, 16, 21):
    # Refused by a filter, or of no use without capabilities: what counts is that the kernel's audit and netfilter do not answer.
    def ask():
        netlink = socket.socket(16, 3, protocol)
        netlink.settimeout(0.2)
        netlink.sendto(struct.pack('<IHHII', 16, 0x3e8, 5, 1, 0), (0, 0))
        answer = netlink.recv(4096)
        return answer if struct.unpack_from('<H', answer, 4)[0] == 2 and struct.unpack_from('<i', answer, 16)[0] == 0 else None
    attempt(f'netlink {protocol}', ask)
`,
    },
  ],
};
