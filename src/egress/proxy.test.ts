import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { Allowlist } from './allowlist.ts';
import { EgressProxy, type EgressRecord } from './proxy.ts';

const records: EgressRecord[] = [];
const resolved: string[] = [];
let proxy: EgressProxy;
/** What the relay behind the wall connects to. */
let front: Server;
let web: Server;
let raw: Server;
const seen: IncomingMessage[] = [];
const rawSockets: Socket[] = [];

const portOf = (server: Server) => (server.address() as AddressInfo).port;

before(async () => {
  web = createHttpServer((incoming, answer) => {
    seen.push(incoming);
    if (incoming.url === '/hang') return;
    incoming.pipe(answer.setHeader('x-from', 'web'));
  });
  raw = createServer((socket) => {
    rawSockets.push(socket);
    socket.on('error', () => {});
    socket.write('hello from the host\n');
  });
  await Promise.all([web, raw].map((server) => once(server.listen(0, '127.0.0.1'), 'listening')));
  const allowed = new Allowlist([
    `web.test:${portOf(web)}`,
    `raw.test:${portOf(raw)}`,
    `closed.test:1`,
    'secure.test',
    'private.test',
    'nowhere.test',
  ]);
  proxy = new EgressProxy({
    allowed,
    onRecord: (record) => records.push(record),
    isReachable: (address) => address === '127.0.0.1',
    resolve: async (host) => {
      resolved.push(host);
      if (host === 'nowhere.test') throw new Error('getaddrinfo ENOTFOUND nowhere.test');
      return host === 'private.test' ? ['10.0.0.1', '::1'] : ['10.0.0.1', '127.0.0.1'];
    },
  });
  front = createServer((socket) => proxy.accept(socket));
  await once(front.listen(0, '127.0.0.1'), 'listening');
});

after(() => {
  proxy.close();
  for (const socket of rawSockets) socket.destroy();
  for (const server of [front, web, raw]) server.close();
});

beforeEach(() => {
  records.length = 0;
  resolved.length = 0;
  seen.length = 0;
  rawSockets.length = 0;
});

interface Answer {
  readonly status: number;
  readonly reason: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

async function get(url: string, { method = 'GET', body = '', headers = {} } = {}): Promise<Answer> {
  const outgoing = request({ host: '127.0.0.1', port: portOf(front), path: url, method, headers, agent: false });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const { statusCode = 0, statusMessage = '', headers: answered } = response;
  return { status: statusCode, reason: statusMessage, headers: answered, body: Buffer.concat(chunks).toString() };
}

/** A tunnel: its first line, and the socket to go on with. */
async function tunnel(authority: string): Promise<{ line: string; socket: Socket; received: () => string }> {
  const socket = connect(portOf(front), '127.0.0.1');
  socket.on('error', () => {});
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes;
  });
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
  while (!text.includes('\r\n') && !socket.destroyed) await once(socket, 'data');
  return { line: text.split('\r\n')[0] ?? '', socket, received: () => text };
}

async function until(isSo: () => boolean): Promise<void> {
  for (let waited = 0; !isSo(); waited++) {
    assert.ok(waited < 500, 'it never came to that');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('a plain request', () => {
  it('goes to a host on the list, by the address that was looked at', async () => {
    const answer = await get(`http://WEB.test:${portOf(web)}/path?q=1`, { method: 'POST', body: 'payload' });
    assert.deepEqual([answer.status, answer.headers['x-from'], answer.body], [200, 'web', 'payload']);
    assert.deepEqual([seen[0]?.url, seen[0]?.headers.host], ['/path?q=1', `web.test:${portOf(web)}`]);
    await until(() => records.length === 1);
    const [{ durationMs, ...record }] = records as [EgressRecord];
    assert.ok(durationMs >= 0);
    assert.deepEqual(record, {
      host: 'web.test',
      port: portOf(web),
      address: '127.0.0.1',
      outcome: 'passed',
      reason: undefined,
      bytesOut: 7,
      bytesIn: 7,
    });
    assert.deepEqual(resolved, ['web.test'], 'resolved once');
  });

  it('does not pass on what is meant for the proxy', async () => {
    await get(`http://web.test:${portOf(web)}/`, {
      headers: {
        'Proxy-Authorization': 'Basic x',
        Connection: 'close, X-Hop',
        'X-Hop': '1',
        Host: 'other.test',
        'X-Own': '2',
      },
    });
    const { headers } = seen[0] as IncomingMessage;
    assert.deepEqual(
      [headers['proxy-authorization'], headers['x-hop'], headers['x-own'], headers.host],
      [undefined, undefined, '2', `web.test:${portOf(web)}`],
    );
  });

  for (const [what, url, reason] of [
    ['a host that is not on the list', 'http://evil.test/', 'evil.test:80 is not on the list of hosts'],
    ['another port', 'http://web.test:22/', 'web.test:22 is not on the list of hosts'],
    ['a private address', 'http://private.test/', 'private.test is not on the public internet'],
    ['an address that is not on the list', 'http://127.0.0.1/', '127.0.0.1:80 is not on the list of hosts'],
    ['an address in disguise', 'http://0x7f000001/', '127.0.0.1:80 is not on the list of hosts'],
  ] as const)
    it(`is refused for ${what}`, async () => {
      const answer = await get(url);
      assert.deepEqual([answer.status, answer.reason], [403, 'Refused by Sallyport']);
      assert.ok(answer.body.startsWith(reason), answer.body);
      assert.deepEqual(
        records.map(({ outcome }) => outcome),
        ['refused'],
      );
    });

  it('says when the host cannot be reached', async () => {
    for (const url of ['http://nowhere.test/', 'http://closed.test:1/']) {
      const answer = await get(url);
      assert.deepEqual([answer.status, answer.reason], [502, 'Host not reached']);
    }
    assert.deepEqual(
      records.map(({ outcome }) => outcome),
      ['failed', 'failed'],
    );
  });

  it('has to be one for a proxy', async () => {
    for (const url of ['/path', 'https://web.test/', 'ftp://web.test/', 'http://'])
      assert.equal((await get(url)).status, 400, url);
  });
});

describe('a tunnel', () => {
  it('carries both directions, whoever speaks first', async () => {
    const { line, socket, received } = await tunnel(`raw.test:${portOf(raw)}`);
    assert.equal(line, 'HTTP/1.1 200 Connected');
    await until(() => received().includes('hello from the host\n'));
    const back = once(rawSockets[0] as Socket, 'data');
    socket.write('SSH-2.0-test\r\n');
    assert.equal(String((await back)[0]), 'SSH-2.0-test\r\n');
    socket.destroy();
    await until(() => records.length === 1);
    assert.deepEqual([records[0]?.outcome, records[0]?.bytesOut, records[0]?.bytesIn], ['passed', 14, 20]);
  });

  it('lets TLS through that names its host, and no other', async () => {
    for (const [servername, isFine] of [
      ['raw.test', true],
      ['RAW.test', true],
      ['evil.test', false],
      [undefined, false],
    ] as const) {
      const { socket } = await tunnel(`raw.test:${portOf(raw)}`);
      await until(() => rawSockets.length > 0);
      const host = rawSockets.pop() as Socket;
      const arrived: Buffer[] = [];
      host.on('data', (bytes) => arrived.push(bytes));
      socket.removeAllListeners('data');
      const client = connectTls({ socket, rejectUnauthorized: false, ...(servername ? { servername } : {}) });
      client.on('error', () => {});
      if (isFine) await until(() => arrived.length > 0);
      else await until(() => socket.destroyed);
      assert.equal(arrived.length > 0, isFine, `${servername}`);
      client.destroy();
    }
    await until(() => records.length === 4);
    assert.deepEqual(records.map(({ outcome }) => outcome).sort(), ['passed', 'passed', 'refused', 'refused']);
  });

  it('is refused for what is not on the list or not public', async () => {
    for (const authority of ['evil.test:443', 'secure.test:22', 'private.test:443', '[::1]:443', '10.0.0.1:443'])
      assert.equal((await tunnel(authority)).line, 'HTTP/1.1 403 Refused by Sallyport', authority);
  });

  it('needs a host and a port', async () => {
    for (const authority of ['secure.test', ':443', 'secure.test:0', 'secure.test:99999', 'a@secure.test:443'])
      assert.match((await tunnel(authority)).line, /^HTTP\/1.1 4\d\d /, authority);
  });
});

it('takes rubbish for what it is', async () => {
  const socket = connect(portOf(front), '127.0.0.1');
  socket.write('\x16\x03\x01 this is no HTTP\r\n\r\n');
  await until(
    () => socket.destroyed || socket.readableEnded || socket.readyState !== 'open' || socket.resume() === undefined,
  );
  assert.equal((await get('http://evil.test/')).status, 403);
  socket.destroy();
});
