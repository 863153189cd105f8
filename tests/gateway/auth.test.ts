/** Logins at servers: every way to get one, and what becomes of it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CredentialFile } from '#gateway/auth/credentials';
import type { DeviceCode } from '#gateway/auth/device';
import { type LoginWish, logIn } from '#gateway/auth/login';
import type { DiscoveredServer } from '#gateway/discovery/discovery';
import { serveGuarded } from '../support/authorization-server.ts';
import { serveModern } from '../support/http-upstreams.ts';
import { failureOf, httpServer, openGateway, type TestGateway } from '../support/upstreams.ts';

/** The person's browser goes where the page sends it. */
async function browse(page: URL): Promise<undefined> {
  const away = await fetch(page, { redirect: 'manual' });
  await fetch(away.headers.get('location') ?? '');
}

function wishFor({ entry }: DiscoveredServer, { stateDir }: TestGateway, more: Partial<LoginWish> = {}): LoginWish {
  return {
    entry,
    credentials: new CredentialFile(stateDir, entry),
    clientMetadataUrl: undefined,
    scope: undefined,
    isHeadless: false,
    signal: AbortSignal.timeout(20_000),
    showPage: browse,
    showCode: () => {},
    ...more,
  };
}

const hello = { kind: 'text', text: 'hello' } as const;
const echo = async (gateway: TestGateway) => (await gateway.call('web', 'echo', { text: 'hello' })).value;

describe('a login', () => {
  it('by a code, where the server has such logins and there is no browser', async () => {
    await using server = await serveGuarded({ hasDevices: true });
    const web = httpServer('web', server.url);
    await using gateway = await openGateway({ servers: [web] });
    const shown: DeviceCode[] = [];
    const showCode = (code: DeviceCode) => {
      shown.push(code);
      server.approveDevice();
    };
    assert.deepEqual(await logIn(wishFor(web, gateway, { isHeadless: true, showCode })), {
      kind: 'done',
      scope: 'read',
    });
    assert.deepEqual(shown, [{ page: `${new URL(server.url).origin}/type-it`, code: 'ABCD-1234' }]);
    assert.deepEqual(await echo(gateway), hello);
  });

  it('with a document that says who we are, without a registration', async () => {
    await using server = await serveGuarded({ onlyDocuments: true });
    const web = httpServer('web', server.url);
    await using gateway = await openGateway({ servers: [web] });
    await logIn(wishFor(web, gateway, { clientMetadataUrl: 'https://example.test/sallyport.json' }));
    assert.deepEqual([await echo(gateway), server.counts.registrations], [hello, 0]);
  });

  it('with a client that somebody registered, whose secret is known as one', async () => {
    await using server = await serveGuarded({ clients: { ours: 'client-s3cret' } });
    const web = httpServer('web', server.url, {
      oauth: { clientId: 'ours', clientSecret: 'client-s3cret', scopes: [] },
    });
    const secrets = new Set<string>();
    await using gateway = await openGateway({ servers: [web], onSecret: (_name, value) => secrets.add(value) });
    await logIn(wishFor(web, gateway));
    assert.deepEqual(await echo(gateway), hello);
    server.forget('access');
    assert.deepEqual([await echo(gateway), server.counts.registrations, server.counts.refreshes], [hello, 0, 1]);
    for (const secret of server.secrets) assert.ok(secrets.has(secret), secret);
    assert.ok(secrets.has('client-s3cret'));
  });

  it('for more, when a call needs more', async () => {
    await using server = await serveGuarded();
    const web = httpServer('web', server.url);
    await using gateway = await openGateway({ servers: [web] });
    await logIn(wishFor(web, gateway));
    server.needScope('write');
    assert.deepEqual(await failureOf(echo(gateway)), {
      code: 'AUTH_REQUIRED',
      message: 'The login at upstream "web" is not enough: it needs the scope "write"',
      hint: 'A person can run: sallyport auth web --scope "write"',
    });
    assert.deepEqual(await logIn(wishFor(web, gateway, { scope: 'write' })), { kind: 'done', scope: 'write' });
    assert.deepEqual(await echo(gateway), hello);
  });

  it('may be refused', async () => {
    await using server = await serveGuarded({ refuses: true });
    const web = httpServer('web', server.url);
    await using gateway = await openGateway({ servers: [web] });
    const { code, message } = await failureOf(logIn(wishFor(web, gateway)));
    assert.deepEqual([code, message], ['AUTH_REQUIRED', '"web" refused the login: access_denied']);
  });

  it('is not to be had with the answer to another one', async () => {
    await using server = await serveGuarded();
    const web = httpServer('web', server.url);
    await using gateway = await openGateway({ servers: [web] });
    const showPage = async () => 'http://127.0.0.1/callback?code=stolen&state=wrong';
    const { code, message } = await failureOf(logIn(wishFor(web, gateway, { showPage })));
    assert.deepEqual([code, message], ['AUTH_REQUIRED', 'The answer is to another login than this one']);
    assert.equal(server.counts.logins, 0);
  });

  it('is not needed where a server asks for none', async () => {
    await using server = await serveModern();
    const web = httpServer('web', server.url);
    await using gateway = await openGateway({ servers: [web] });
    assert.deepEqual(await logIn(wishFor(web, gateway)), { kind: 'not-needed' });
  });

  it('is renewed once, however many calls and gateways need it, and is gone when it cannot be', async () => {
    await using server = await serveGuarded({ refreshMs: 100 });
    const web = httpServer('web', server.url);
    await using one = await openGateway({ servers: [web] });
    await using other = await openGateway({ servers: [web], stateDir: one.stateDir });
    await logIn(wishFor(web, one));
    await Promise.all([echo(one), echo(other)]);
    server.forget('access');
    const all = await Promise.all([one, other, one, other, one, other].map(echo));
    assert.deepEqual(all, Array(6).fill(hello));
    assert.deepEqual([server.counts.refreshes, server.counts.refreshesAtOnce], [1, 1]);
    server.forget('everything');
    assert.deepEqual(await failureOf(echo(one)), {
      code: 'AUTH_REQUIRED',
      message: 'Upstream "web" needs a login; a person can run: sallyport auth web',
    });
    assert.equal((await new CredentialFile(one.stateDir, web.entry).read()).tokens, undefined);
  });

  it('is renewed before it ends', async () => {
    await using server = await serveGuarded({ expiresIn: 1 });
    const web = httpServer('web', server.url);
    await using gateway = await openGateway({ servers: [web] });
    await logIn(wishFor(web, gateway));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const before = server.seen.length;
    assert.deepEqual(await echo(gateway), hello);
    assert.ok(server.counts.refreshes >= 1);
    assert.ok(server.seen.length > before);
  });
});
