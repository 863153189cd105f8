/** When servers run, how many calls they get, what they are given, and what they may ask. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Ask } from '#gateway/asks';
import type { DiscoveredServer } from '#gateway/discovery/discovery';
import { entry, failureOf, fixture, isRunning, openGateway, until } from '../support/upstreams.ts';

const pidOf = (reply: { value: { kind: string } }) => Number((reply.value as { text?: string }).text);
const tools = (more: Parameters<typeof fixture>[2] = {}) => fixture('tools', ['tools.mjs'], more);

describe('an upstream', () => {
  it('starts at its first use, once for all, and stays', async () => {
    await using gateway = await openGateway({ servers: [tools()] });
    assert.equal((await gateway.status())[0]?.state, 'idle');
    const pids = await Promise.all(Array.from({ length: 20 }, () => gateway.call('tools', 'pid', {})));
    assert.equal(new Set(pids.map(pidOf)).size, 1);
    assert.equal(pidOf(await gateway.call('tools', 'pid', {})), (await gateway.status())[0]?.pid);
  });

  it('is stopped when nobody uses it, and starts again', async () => {
    await using gateway = await openGateway({ servers: [tools()], limits: { idleMs: 150 } });
    const pid = pidOf(await gateway.call('tools', 'pid', {}));
    await gateway.call('tools', 'slow', { ms: 400 });
    assert.ok(isRunning(pid));
    await until(async () => (await gateway.status())[0]?.state === 'idle' && !isRunning(pid));
    assert.notEqual(pidOf(await gateway.call('tools', 'pid', {})), pid);
  });

  it('gets the environment that a machine needs and what its entry says, and no more', async () => {
    const env = { PATH: '/usr/bin', HOME: '/home/x', LC_ALL: 'C', GITHUB_TOKEN: 'secret', https_proxy: 'http://proxy' };
    await using gateway = await openGateway({ servers: [tools({ env: { OWN: '1' } })], env });
    const { value } = await gateway.call('tools', 'environment', {});
    assert.deepEqual(value.kind === 'json' && value.value, ['HOME', 'LC_ALL', 'OWN', 'PATH', 'https_proxy']);
  });

  it('works on so many calls at a time; the others wait in order', async () => {
    await using gateway = await openGateway({ servers: [tools()], limits: { callsAtOnce: 4 } });
    await gateway.call('tools', 'echo', { text: '' });
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: 12 }, () => gateway.call('tools', 'slow', { ms: 100 })));
    const tookMs = performance.now() - startedAt;
    assert.ok(tookMs > 290 && tookMs < 1_500, `${tookMs} ms`);
  });

  it('refuses calls when too many wait, and forgets those whose caller has gone', async () => {
    await using gateway = await openGateway({ servers: [tools()], limits: { callsAtOnce: 1 } });
    await gateway.call('tools', 'echo', { text: '' });
    const stop = new AbortController();
    const waiting = Array.from({ length: 1025 }, () => gateway.call('tools', 'hang', {}, { signal: stop.signal }));
    const ends = Promise.allSettled(waiting);
    await until(() => new Promise((resolve) => setTimeout(() => resolve(true), 50)));
    assert.deepEqual(await failureOf(gateway.call('tools', 'hang', {})), {
      code: 'UPSTREAM_BUSY',
      message: 'Upstream "tools" has 1024 calls waiting',
      hint: 'Make fewer calls at once',
    });
    stop.abort(new Error('gone'));
    assert.ok((await ends).every((end) => end.status === 'rejected' && end.reason.message === 'gone'));
    assert.equal((await gateway.call('tools', 'echo', { text: 'free' })).value.kind, 'text');
  });

  it('is there for each session where the entry says so', async () => {
    await using gateway = await openGateway({ servers: [tools({ share: 'session' })] });
    const pid = async (session: string) => pidOf(await gateway.call('tools', 'pid', {}, { session }));
    const [a, b] = [await pid('a'), await pid('b')];
    assert.notEqual(a, b);
    assert.equal(await pid('a'), a);
    gateway.endSession('a');
    await until(() => !isRunning(a));
    assert.ok(isRunning(b));
  });
});

describe('the configuration', () => {
  it('is followed: a changed server is started anew, and what it was doing is finished', async () => {
    let servers: readonly DiscoveredServer[] = [tools()];
    await using gateway = await openGateway({ servers: () => servers });
    const pid = pidOf(await gateway.call('tools', 'pid', {}));
    const isUnderWay = Promise.withResolvers<void>();
    const slow = gateway.call('tools', 'slow', { ms: 600 }, { onProgress: () => isUnderWay.resolve() });
    await isUnderWay.promise;
    servers = [tools({ env: { NEW: '1' } })];
    assert.notEqual(pidOf(await gateway.call('tools', 'pid', {})), pid);
    assert.deepEqual((await slow).value, { kind: 'text', text: 'waited 600' });
    await until(() => !isRunning(pid));
    servers = [];
    assert.equal((await failureOf(gateway.call('tools', 'pid', {}))).code, 'UPSTREAM_UNKNOWN');
    assert.deepEqual((await gateway.search('echo')).hits, []);
  });

  it('may switch a server off', async () => {
    await using gateway = await openGateway({ servers: [tools({ disabled: true })] });
    assert.deepEqual(await failureOf(gateway.call('tools', 'pid', {})), {
      code: 'UPSTREAM_UNKNOWN',
      message: 'Upstream "tools" is switched off',
      hint: 'A person can switch it on in test.json',
    });
    assert.equal((await gateway.status())[0]?.state, 'disabled');
    assert.deepEqual((await gateway.search('echo')).notIndexed, []);
  });

  it('may lack what only a person can give', async () => {
    const need = { kind: 'input', id: 'token', description: 'API token', isSecret: true, options: [] } as const;
    const server = { ...entry('x', { command: 'x' }), state: 'needs-input', needs: [need] } as const;
    await using gateway = await openGateway({ servers: [server] });
    const message = 'Upstream "x" lacks the input "token" (API token)';
    assert.deepEqual(await failureOf(gateway.call('x', 'y', {})), {
      code: 'UPSTREAM_UNREACHABLE',
      message,
      hint: 'A person can run: sallyport doctor',
    });
    assert.deepEqual([(await gateway.status())[0]?.state, (await gateway.status())[0]?.lastError], ['failed', message]);
    assert.deepEqual((await gateway.search('y')).notIndexed, [{ server: 'x', why: message }]);
  });
});

describe('what an upstream asks for', () => {
  const servers = [fixture('asks', ['asks.mjs'])];

  it('goes to whoever can answer, while the clock of the call stands still', async () => {
    const asked: Ask[] = [];
    const elicit = async (ask: Ask) => {
      asked.push(ask);
      await new Promise((resolve) => setTimeout(resolve, 600));
      return { action: 'accept', content: { colour: 'red' } };
    };
    await using gateway = await openGateway({ servers, asks: () => ({ elicit }) });
    await gateway.tools('asks');
    const { value } = await gateway.call('asks', 'ask_person', {}, { timeoutMs: 400, caller: 'run 7' });
    assert.deepEqual(value.kind === 'json' && value.value, { action: 'accept', content: { colour: 'red' } });
    assert.deepEqual(
      asked.map(({ server, callers, params }) => [server, callers, params.message]),
      [['asks', ['run 7'], 'Which colour?']],
    );
  });

  it('is refused when nobody can', async () => {
    await using gateway = await openGateway({ servers });
    const { code, message } = await failureOf(gateway.call('asks', 'ask_person', {}));
    assert.equal(code, 'UPSTREAM_FAILED');
    assert.match(message, /elicitation/i);
  });

  it('may be the roots that it was given', async () => {
    await using gateway = await openGateway({ servers: [fixture('asks', ['asks.mjs'], { roots: ['/srv/project'] })] });
    const { value } = await gateway.call('asks', 'ask_roots', {});
    assert.deepEqual(value.kind === 'json' && value.value, [{ uri: 'file:///srv/project', name: 'project' }]);
  });
});
