/** Which addresses are on the public internet. Everything else stays out of reach, whatever name led to it. */
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

/** IANA's special-purpose registries: this machine, private and link-local networks, metadata services, multicast … */
const NOT_PUBLIC_V4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;

/** Only 2000::/3 is given out at all; of that, what tunnels or translates to an IPv4 address could be any of the above. */
const NOT_PUBLIC_V6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
] as const;

const notPublic = new BlockList();
for (const [network, prefix] of NOT_PUBLIC_V4) notPublic.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of NOT_PUBLIC_V6) notPublic.addSubnet(network, prefix, 'ipv6');
const global = new BlockList();
global.addSubnet('2000::', 3, 'ipv6');

export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !notPublic.check(address, 'ipv4') && !isOwn(address);
  if (!isIPv6(address) || address.includes('%')) return false;
  return global.check(address, 'ipv6') && !notPublic.check(address, 'ipv6') && !isOwn(address);
}

/** A public address of this very machine leads to what listens here. Asked each time: interfaces come and go. */
function isOwn(address: string): boolean {
  const own = new BlockList();
  for (const found of Object.values(networkInterfaces()).flat()) {
    if (found) own.addAddress(found.address, found.family === 'IPv4' ? 'ipv4' : 'ipv6');
  }
  return own.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}
