import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { describe, it } from 'node:test';
import { isPublicAddress } from './addresses.ts';

const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '93.184.216.34',
  '172.32.0.1',
  '100.128.0.1',
  '2606:4700:4700::1111',
  '2a00:1450::1',
];
const NOT_PUBLIC = [
  ...[
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
  ],
  ...[
    '192.0.0.1',
    '192.0.2.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.7',
    '203.0.113.9',
    '224.0.0.1',
    '255.255.255.255',
  ],
  ...[
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::a00:1',
    '64:ff9b::808:808',
    '100::1',
    'fc00::1',
    'fd00:ec2::254',
  ],
  ...['fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', '2001::1', '2001:db8::1', '2002:7f00:1::', '3fff::1', '5f00::1'],
  ...['', 'localhost', '1.2.3', '127.1', '0x7f.0.0.1', '1.1.1.1 ', '[::1]'],
];

describe('an address', () => {
  for (const address of PUBLIC) it(`${address} is public`, () => assert.equal(isPublicAddress(address), true));
  for (const address of NOT_PUBLIC)
    it(`${JSON.stringify(address)} is not`, () => assert.equal(isPublicAddress(address), false));

  it('of this machine is not', () => {
    for (const found of Object.values(networkInterfaces()).flat())
      if (found) assert.equal(isPublicAddress(found.address), false, found.address);
  });
});
