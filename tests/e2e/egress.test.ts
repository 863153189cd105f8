/** The way out of a sandbox: nothing without a list, only what is on it with one. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readEnvironment } from '#config/env';
import { DEFAULT_LIMITS } from '#contracts/limits';
import { Allowlist } from '#egress/allowlist';
import { EgressProxy, type EgressRecord } from '#egress/proxy';
import { silentLogger } from '#observability/logger';
import { createBubblewrapBackend } from '#sandbox/backends/bubblewrap/index';
import { createRuntimeFinder } from '#sandbox/runtimes';
import { SessionHomes } from '#sessions/home';
import { SessionHouse } from '#sessions/house';
import { answerOf, type Connection, callRunCode, connect } from '../support/client.ts';
import { availableWalls } from '../support/walls.ts';

const walls = await availableWalls();
const hasBubblewrap = walls.includes('bubblewrap');
const skip = hasBubblewrap ? false : 'bubblewrap does not work here';

describe('with a list of hosts', { skip }, () => {
  let connection: Connection;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sallyport-egress-'));
    const config = join(folder, 'config.json');
    await writeFile(config, JSON.stringify({ network: ['localhost', 'api.example.com'] }));
    connection = await connect({ flags: ['--sandbox', 'bubblewrap', '--config', config] });
  });

  after(async () => {
    await connection[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  async function ask(input: { language: string; code: string }): Promise<{ out: string; all: string }> {
    const { out, notes } = answerOf(await callRunCode(connection.client, input));
    return { out, all: out + notes };
  }

  /** Written in the background. */
  async function auditLines(): Promise<Array<Record<string, unknown>>> {
    for (let waited = 0; waited < 500; waited++) {
      const text = await readFile(join(connection.stateDir, 'audit.jsonl'), 'utf8').catch(() => '');
      const lines = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
      const found = lines.filter(({ kind }) => kind === 'egress');
      if (found.length > 0) return found;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return [];
  }

  it('refuses every other host, and says what a person can do', async () => {
    const answer = await ask({
      language: 'python',
      code: 'import urllib.request\nurllib.request.urlopen("http://evil.example/")',
    });
    assert.match(answer.all, /HTTPError: HTTP Error 403: Refused by Sallyport/);
    assert.match(answer.all, /only hosts named in "network" of the config can be reached/);
    const lines = await auditLines();
    assert.deepEqual(
      lines.map(({ host, port, outcome }) => ({ host, port, outcome })),
      [{ host: 'evil.example', port: 80, outcome: 'refused' }],
    );
  });

  it('refuses a host on the list whose address is not public', async () => {
    const answer = await ask({
      language: 'python',
      code: `import http.client
c = http.client.HTTPConnection("127.0.0.1", 3128)
c.request("GET", "http://localhost/")
r = c.getresponse()
print(r.status, r.reason, r.read().decode())`,
    });
    assert.equal(answer.out, '403 Refused by Sallyport localhost is not on the public internet\n\n');
  });

  it('has no other way out', async () => {
    const answer = await ask({
      language: 'python',
      code: `import socket
def attempt(work):
    try:
        return work()
    except OSError as error:
        return type(error).__name__
def udp():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    return s.sendto(b'x', ('8.8.8.8', 53))
print(attempt(lambda: socket.create_connection(('1.1.1.1', 443), 3)))
print(attempt(lambda: socket.getaddrinfo('example.com', 443)))
print(attempt(udp))
print([name for _, name in socket.if_nameindex()])`,
    });
    assert.equal(answer.out, "OSError\ngaierror\nOSError\n['lo']\n");
  });
});

describe('with a host that can be reached', { skip }, () => {
  const records: EgressRecord[] = [];
  const web = createServer((incoming, answer) =>
    answer.end(`${incoming.method} ${incoming.headers.host} ${incoming.url}`),
  );
  let state: string;
  let house: SessionHouse;
  let proxy: EgressProxy;
  let authority: string;

  before(async () => {
    state = await mkdtemp(join(tmpdir(), 'sallyport-egress-'));
    await once(web.listen(0, '127.0.0.1'), 'listening');
    authority = `web.test:${(web.address() as AddressInfo).port}`;
    // The only public hosts in reach of a test are none of ours, so this one counts as public here.
    proxy = new EgressProxy({
      allowed: new Allowlist([authority]),
      onRecord: (record) => records.push(record),
      isReachable: (address) => address === '127.0.0.1',
      resolve: async () => ['127.0.0.1'],
    });
    const path = readEnvironment().PATH ?? '';
    const runtimes = createRuntimeFinder({
      node: process.execPath,
      path,
      home: state,
      overrides: {},
      tools: [],
      cacheDir: join(state, 'cache'),
      logger: silentLogger,
    });
    const backend = createBubblewrapBackend({
      node: process.execPath,
      stateDir: state,
      home: state,
      path,
      runtimes,
      logger: silentLogger,
    });
    house = new SessionHouse({
      homes: new SessionHomes(state),
      backends: [backend],
      wish: { sandbox: 'bubblewrap', minIsolation: undefined, needsMounts: false },
      limits: DEFAULT_LIMITS,
      mounts: [],
      env: {},
      onEgress: (stream) => proxy.accept(stream),
      warm: [],
      hatch: async () => null,
      mask: () => undefined,
      onEnd: () => {},
      logger: silentLogger,
    });
  });

  after(async () => {
    await house.close();
    proxy.close();
    web.close();
    await rm(state, { recursive: true, force: true });
  });

  async function printed(interpreter: 'python' | 'javascript' | 'bash', code: string): Promise<string> {
    const session = await house.lease({ kind: 'named', name: 'net' }, interpreter);
    const live = session.submit({
      runId: `r${Math.random()}`,
      language: interpreter,
      interpreter,
      code,
      args: [],
      stdin: undefined,
      files: [],
      timeoutMs: 20_000,
      caller: 'test',
    });
    await live.ended;
    const { stdout, stderr } = live.look();
    return `${stdout.head}${stderr.head}`;
  }

  it('is reached from Python, JavaScript and Bash by their usual means', async () => {
    const url = `http://${authority}/path?q=1`;
    const expected = `GET ${authority} /path?q=1`;
    assert.equal(
      await printed('python', `import urllib.request\nprint(urllib.request.urlopen("${url}").read().decode())`),
      `${expected}\n`,
    );
    assert.equal(await printed('javascript', `console.log(await (await fetch("${url}")).text())`), `${expected}\n`);
    assert.equal(
      await printed(
        'bash',
        `exec 5<>/dev/tcp/127.0.0.1/3128; printf 'GET ${url} HTTP/1.0\\r\\n\\r\\n' >&5; tail -n 1 <&5`,
      ),
      expected,
    );
    for (let waited = 0; records.length < 3 && waited < 500; waited++) await new Promise((go) => setTimeout(go, 10));
    assert.deepEqual(
      records.map(({ host, outcome }) => [host, outcome]),
      Array(3).fill(['web.test', 'passed']),
    );
  });

  it('leaves nothing of the way out to programs but the port', async () => {
    assert.equal(await printed('bash', 'env | grep -c SALLYPORT_EGRESS; env | grep -c -i _proxy=http'), '0\n4\n');
    assert.equal(await printed('bash', 'touch /run/sallyport/hatch/x 2>&1 | grep -c Read-only'), '1\n');
  });
});
