/** Servers behind a URL. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { serveBroken, serveHttp, serveModern, serveSse, serveWithSessions } from '../support/http-upstreams.ts';
import { failureOf, httpServer, openGateway, until } from '../support/upstreams.ts';

const hello = { kind: 'text', text: 'hello' } as const;

describe('a server behind a URL', () => {
  // The one answers with a body, the other breaks off a stream of events: nobody can say of what it was too long.
  for (const [what, serve, tooLong] of [
    ['of 2026', serveModern, 'UPSTREAM_FAILED'],
    ['of 2025, with sessions', serveWithSessions, 'UPSTREAM_UNREACHABLE'],
  ] as const) {
    it(`${what} is called, with the headers of its entry`, async () => {
      await using server = await serve();
      const headers = { Authorization: 'Bearer abc', 'X-Team': 'red' };
      await using gateway = await openGateway({ servers: [httpServer('web', server.url, { headers })] });
      assert.deepEqual((await gateway.call('web', 'echo', { text: 'hello' })).value, hello);
      assert.ok(server.seen.every((request) => request.headers.authorization === 'Bearer abc'));
      assert.ok(server.seen.every((request) => request.headers['x-team'] === 'red'));
    });

    it(`${what} carries 20 MB, and ends a call at its time`, async () => {
      await using server = await serve();
      await using gateway = await openGateway({ servers: [httpServer('web', server.url)] });
      const { value } = await gateway.call('web', 'big', { bytes: 20_000_000 });
      assert.equal(value.kind === 'text' && value.text.length, 20_000_000);
      const { code } = await failureOf(gateway.call('web', 'hang', {}, { timeoutMs: 100 }));
      assert.equal(code, 'UPSTREAM_TIMEOUT');
      assert.deepEqual((await gateway.call('web', 'echo', { text: 'hello' })).value, hello);
    });

    it(`${what} may not send more than anybody will hold`, async () => {
      await using server = await serve();
      await using gateway = await openGateway({ servers: [httpServer('web', server.url)] });
      const { code } = await failureOf(gateway.call('web', 'big', { bytes: 70_000_000 }));
      assert.equal(code, tooLong);
      assert.deepEqual((await gateway.call('web', 'echo', { text: 'hello' })).value, hello);
    });
  }

  it('that has forgotten the session gets a new one, and the call does not notice', async () => {
    await using server = await serveWithSessions();
    await using gateway = await openGateway({ servers: [httpServer('web', server.url)] });
    await gateway.call('web', 'echo', { text: '' });
    server.forgetSessions();
    assert.deepEqual((await gateway.call('web', 'echo', { text: 'hello' })).value, hello);
  });

  it('is told when its session is over', async () => {
    await using server = await serveWithSessions();
    const gateway = await openGateway({ servers: [httpServer('web', server.url)] });
    await gateway.call('web', 'echo', { text: '' });
    await gateway[Symbol.asyncDispose]();
    assert.equal(server.seen.at(-1)?.method, 'DELETE');
  });

  it('that speaks as of 2024 is found out, and remembered', async () => {
    await using server = await serveSse();
    await using gateway = await openGateway({ servers: [httpServer('web', server.url)] });
    assert.deepEqual((await gateway.call('web', 'echo', { a: 1 })).value, {
      kind: 'json',
      value: { a: 1 },
      text: '{"a":1}',
    });
    const kept = join(gateway.stateDir, 'cache', 'upstreams.json');
    await until(() =>
      readFile(kept, 'utf8').then(
        (text) => text.includes('"sse"'),
        () => false,
      ),
    );
    const asked = server.seen.length;
    const { stateDir } = gateway;
    await using again = await openGateway({ servers: [httpServer('web', server.url)], stateDir });
    await again.call('web', 'echo', { a: 1 });
    assert.equal(server.seen[asked]?.method, 'GET');
  });

  it('that goes away fails the calls that are going on, and is found when it is back', async () => {
    const server = await serveSse();
    await using gateway = await openGateway({ servers: [httpServer('web', server.url, { transport: 'sse' })] });
    await gateway.call('web', 'echo', {});
    await server[Symbol.asyncDispose]();
    await until(async () => (await gateway.status())[0]?.state === 'failed');
    const { code, message } = await failureOf(gateway.call('web', 'echo', {}));
    assert.equal(code, 'UPSTREAM_UNREACHABLE');
    assert.match(message, /ECONNREFUSED|fetch failed/);
  });

  it('that breaks its answer off fails the call at once', async () => {
    await using server = await serveBroken();
    await using gateway = await openGateway({ servers: [httpServer('web', server.url)] });
    const { code, message } = await failureOf(gateway.call('web', 'echo', {}, { timeoutMs: 10_000 }));
    assert.deepEqual(
      [code, message],
      ['UPSTREAM_UNREACHABLE', 'Upstream "web" went away during tool "echo" (The connection ended before the answer)'],
    );
  });

  it('that is not there is said not to be', async () => {
    const server = await serveModern();
    const { url } = server;
    await server[Symbol.asyncDispose]();
    await using gateway = await openGateway({ servers: [httpServer('web', `${url}?key=secret`)] });
    const { code, message } = await failureOf(gateway.call('web', 'echo', {}));
    assert.deepEqual(
      [code, message],
      ['UPSTREAM_UNREACHABLE', `Cannot reach upstream "web" at ${new URL(url).origin}: ECONNREFUSED`],
    );
  });

  it('that wants to know who is calling is named with what a person can do', async () => {
    await using server = await serveHttp('/mcp', (_request, response) => void response.writeHead(401).end());
    await using gateway = await openGateway({ servers: [httpServer('web', server.url)] });
    assert.deepEqual(await failureOf(gateway.call('web', 'echo', {})), {
      code: 'AUTH_REQUIRED',
      message: 'Upstream "web" needs a login; a person can run: sallyport auth web',
    });
  });

  it('that is no MCP server is said not to answer as one', async () => {
    await using server = await serveHttp('/', (_request, response) => void response.end('<html>Hello</html>'));
    await using gateway = await openGateway({ servers: [httpServer('web', server.url)] });
    const { code } = await failureOf(gateway.call('web', 'echo', {}));
    assert.equal(code, 'UPSTREAM_UNREACHABLE');
  });

  it('that accepts and never answers is given up', async () => {
    await using server = await serveHttp('/mcp', () => {});
    await using gateway = await openGateway({ servers: [httpServer('web', server.url)], limits: { startMs: 300 } });
    assert.deepEqual(await failureOf(gateway.call('web', 'echo', {})), {
      code: 'UPSTREAM_UNREACHABLE',
      message: 'Upstream "web" did not answer within 0.3 s of its start',
    });
  });
});
