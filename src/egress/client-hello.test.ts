import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect as connectTcp, createServer } from 'node:net';
import { describe, it } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { readHello } from './client-hello.ts';

/** What a real TLS client says first. */
async function realHello(servername: string | undefined): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const tcp = connectTcp((server.address() as AddressInfo).port, '127.0.0.1');
  const [accepted] = await once(server, 'connection');
  const client = connectTls({ socket: tcp, rejectUnauthorized: false, ...(servername ? { servername } : {}) });
  client.on('error', () => {});
  const [bytes] = await once(accepted, 'data');
  client.destroy();
  accepted.destroy();
  server.close();
  return bytes;
}

describe('the first message of a TLS connection', () => {
  it('names its host', async () => {
    assert.deepEqual(readHello(await realHello('api.example.com')), { kind: 'hello', serverName: 'api.example.com' });
  });

  it('may name none', async () => {
    assert.deepEqual(readHello(await realHello(undefined)), { kind: 'hello', serverName: undefined });
  });

  it('is waited for byte by byte', async () => {
    const bytes = await realHello('api.example.com');
    for (let length = 0; length < bytes.length; length++)
      assert.deepEqual(readHello(bytes.subarray(0, length)), { kind: 'more' }, `${length} bytes`);
  });

  it('may come in many records', async () => {
    const bytes = await realHello('api.example.com');
    const message = bytes.subarray(5);
    const records: Buffer[] = [];
    for (let at = 0; at < message.length; at += 50) {
      const part = message.subarray(at, at + 50);
      records.push(Buffer.from([22, 3, 1, 0, part.length]), part);
    }
    assert.deepEqual(readHello(Buffer.concat(records)), { kind: 'hello', serverName: 'api.example.com' });
  });

  for (const [what, bytes] of [
    ['plain HTTP', Buffer.from('GET / HTTP/1.1\r\n')],
    ['SSH', Buffer.from('SSH-2.0-x\r\n')],
    ['an alert', Buffer.from([21, 3, 3, 0, 2, 1, 0])],
    ['an empty record', Buffer.from([22, 3, 1, 0, 0, 22])],
    ['another handshake message', Buffer.from([22, 3, 1, 0, 4, 2, 0, 0, 0])],
    ['a hello of megabytes', Buffer.from([22, 3, 1, 0, 4, 1, 255, 255, 255])],
    ['a hello whose lengths lie', Buffer.from([22, 3, 1, 0, 8, 1, 0, 0, 4, 3, 3, 0, 0])],
  ] as const)
    it(`is not ${what}`, () => assert.deepEqual(readHello(bytes), { kind: 'other' }));

  it('is never a reason to throw', async () => {
    const bytes = await realHello('api.example.com');
    for (let at = 0; at < bytes.length; at++) {
      for (const value of [0, 1, 127, 255]) {
        const broken = Buffer.from(bytes);
        broken[at] = value;
        readHello(broken);
      }
    }
  });
});
