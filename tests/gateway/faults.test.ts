/** Servers that do what they should not. What each of them costs is its own calls, and nobody else's. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { entry, failureOf, fixture, isRunning, openGateway, until } from '../support/upstreams.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const pidOf = (reply: { value: { kind: string } }) => Number((reply.value as { text?: string }).text);

describe('a server that crashes in mid-call', () => {
  it('fails that call with its last words, and the next call starts it anew', async () => {
    await using gateway = await openGateway({ servers: [fixture('tools', ['tools.mjs'])] });
    const before = pidOf(await gateway.call('tools', 'pid', {}));
    assert.deepEqual(await failureOf(gateway.call('tools', 'crash', {})), {
      code: 'UPSTREAM_UNREACHABLE',
      message: 'Upstream "tools" went away during tool "crash" (exit code 7): fixture server is up | about to crash',
      hint: 'The next call connects anew; the call may or may not have had its effect',
    });
    assert.equal((await gateway.status())[0]?.state, 'failed');
    assert.notEqual(pidOf(await gateway.call('tools', 'pid', {})), before);
  });

  it('fails the calls beside it, and no later ones', async () => {
    await using gateway = await openGateway({ servers: [fixture('tools', ['tools.mjs'])] });
    await gateway.call('tools', 'pid', {});
    const beside = failureOf(gateway.call('tools', 'hang', {}));
    await failureOf(gateway.call('tools', 'crash', {}));
    assert.equal((await beside).code, 'UPSTREAM_UNREACHABLE');
    assert.equal((await gateway.call('tools', 'echo', { text: 'up' })).value.kind, 'text');
  });

  it('is left alone for a while when it does so again and again', async () => {
    await using gateway = await openGateway({ servers: [fixture('tools', ['tools.mjs'])] });
    await failureOf(gateway.call('tools', 'crash', {}));
    await failureOf(gateway.call('tools', 'crash', {}));
    const { code, message } = await failureOf(gateway.call('tools', 'pid', {}));
    assert.equal(code, 'UPSTREAM_UNREACHABLE');
    assert.match(message, /^Upstream "tools" keeps failing and is tried again in (?:1|0\.\d) s; last: .*exit code 7/);
  });
});

describe('a server that cannot be started', () => {
  const cases = [
    [
      'exits at once',
      fixture('bad', ['raw.mjs', 'exits']),
      'Upstream "bad" ended at its start (exit code 3): Error: FIXTURE_TOKEN is not set | at somewhere.js:1',
    ],
    [
      'has no command',
      entry('bad', { command: 'no-such-command-here' }),
      'Cannot start upstream "bad": there is no command "no-such-command-here"',
    ],
    [
      'has no folder',
      fixture('bad', ['tools.mjs'], { cwd: '/no/such/folder' }),
      `Cannot start upstream "bad": there is no command "${process.execPath}", or no folder "/no/such/folder"`,
    ],
    [
      'never answers',
      fixture('bad', ['raw.mjs', 'silent'], { startTimeoutMs: 400 }),
      'Upstream "bad" did not answer within 0.4 s of its start',
    ],
  ] as const;
  for (const [what, server, message] of cases) {
    it(`${what}: says so`, async () => {
      await using gateway = await openGateway({ servers: [server] });
      const failure = await failureOf(gateway.call('bad', 'echo', {}));
      assert.deepEqual([failure.code, failure.message], ['UPSTREAM_UNREACHABLE', message]);
      const [status] = await gateway.status();
      assert.deepEqual([status?.state, status?.lastError], ['failed', message]);
    });
  }

  it('is started once for all who wait for it', async () => {
    await using gateway = await openGateway({
      servers: [fixture('bad', ['raw.mjs', 'silent'])],
      limits: { startMs: 300 },
    });
    const startedAt = performance.now();
    const failures = await Promise.all(Array.from({ length: 20 }, () => failureOf(gateway.call('bad', 'echo', {}))));
    assert.deepEqual(new Set(failures.map(({ message }) => message)).size, 1);
    assert.ok(performance.now() - startedAt < 3_000);
  });

  it('does not keep a caller longer than the call may take', async () => {
    await using gateway = await openGateway({ servers: [fixture('bad', ['raw.mjs', 'silent'])] });
    const { code } = await failureOf(gateway.call('bad', 'echo', {}, { timeoutMs: 100 }));
    assert.equal(code, 'UPSTREAM_TIMEOUT');
  });

  it('delays nobody else', async () => {
    const servers = [
      fixture('silent', ['raw.mjs', 'silent']),
      fixture('stuck', ['raw.mjs', 'stuck-list']),
      fixture('exits', ['raw.mjs', 'exits']),
      fixture('good', ['raw.mjs', 'good']),
    ];
    await using gateway = await openGateway({ servers, limits: { startMs: 20_000 } });
    const stop = new AbortController();
    const bad = ['silent', 'stuck', 'exits'].map((name) =>
      gateway.call(name, 'echo', {}, { signal: stop.signal }).catch(() => {}),
    );
    const startedAt = performance.now();
    await gateway.call('good', 'echo', { a: 1 });
    assert.ok(performance.now() - startedAt < 5_000);
    stop.abort();
    await Promise.all(bad);
  });
});

describe('a server that', () => {
  it('prints rubbish on standard output is understood all the same', async () => {
    await using gateway = await openGateway({ servers: [fixture('rubbish', ['raw.mjs', 'rubbish'])] });
    assert.deepEqual((await gateway.call('rubbish', 'echo', { a: 1 })).value, {
      kind: 'json',
      value: { a: 1 },
      text: '{"a":1}',
    });
    assert.match(await gateway.lastWords('rubbish'), /\[log\] handling tools\/call/);
  });

  it('dies of a question that it does not know is asked no more', async () => {
    await using gateway = await openGateway({ servers: [fixture('shy', ['raw.mjs', 'shy'])] });
    await gateway.call('shy', 'echo', {});
    const stateDir = gateway.stateDir;
    await using again = await openGateway({ servers: [fixture('shy', ['raw.mjs', 'shy'])], stateDir });
    await again.call('shy', 'echo', {});
    assert.equal(await again.lastWords('shy'), '');
  });

  it('answers more than anybody will hold fails that call alone', async () => {
    await using gateway = await openGateway({ servers: [fixture('flood', ['raw.mjs', 'flood'])] });
    const beside = gateway.call('flood', 'echo', { a: 1 });
    assert.deepEqual(await failureOf(gateway.call('flood', 'flood', {})), {
      code: 'UPSTREAM_FAILED',
      message: 'The answer is longer than 64 MiB',
    });
    assert.equal((await beside).value.kind, 'json');
    assert.equal((await gateway.call('flood', 'echo', {})).value.kind, 'json');
  });

  it('pages its list without an end is listed once', async () => {
    await using gateway = await openGateway({ servers: [fixture('paged', ['paged.mjs'])] });
    const tools = await gateway.tools('paged');
    assert.equal(tools.length, 250);
    assert.deepEqual((await gateway.call('paged', 'tool_249', {})).value, { kind: 'text', text: 'tool_249' });
  });

  it('has hostile names and descriptions costs only the tools that cannot be', async () => {
    await using gateway = await openGateway({ servers: [fixture('hostile', ['raw.mjs', 'hostile'])] });
    const tools = await gateway.tools('hostile');
    assert.deepEqual(
      tools.map(({ name }) => name),
      [
        'quote"d',
        'new\nline',
        '__proto__',
        'constructor',
        '💣 émile',
        'no schema',
        'odd schema',
        'huge schema',
        'good',
      ],
    );
    assert.deepEqual(
      tools.find(({ name }) => name === 'odd schema'),
      {
        server: 'hostile',
        name: 'odd schema',
        inputSchema: { type: 'object' },
        annotations: { readOnlyHint: true },
      },
    );
    assert.deepEqual(tools.find(({ name }) => name === 'huge schema')?.inputSchema, { type: 'object' });
    assert.equal(tools.find(({ name }) => name === 'good')?.description, 'the same name twice');
    assert.equal((await gateway.call('hostile', '__proto__', { a: 1 })).value.kind, 'json');
    assert.equal(({} as { bad?: boolean }).bad, undefined);
    const { message } = await failureOf(gateway.call('hostile', 'new\nlin', {}));
    assert.equal(message, 'Upstream "hostile" has no tool "new\\nlin"');
  });
});

describe('the end of a server', () => {
  it('is the end of everything that it started', async () => {
    const gateway = await openGateway({ servers: [fixture('tools', ['tools.mjs'])] });
    const pid = pidOf(await gateway.call('tools', 'pid', {}));
    const child = pidOf(await gateway.call('tools', 'child', {}));
    assert.ok(isRunning(pid) && isRunning(child));
    await gateway[Symbol.asyncDispose]();
    await until(() => !isRunning(pid) && !isRunning(child));
  });

  it('comes by force when it must', async () => {
    const gateway = await openGateway({ servers: [fixture('deaf', ['raw.mjs', 'deaf'])] });
    await gateway.call('deaf', 'echo', {});
    const pid = (await gateway.status())[0]?.pid ?? 0;
    assert.ok(isRunning(pid));
    await gateway[Symbol.asyncDispose]();
    assert.ok(!isRunning(pid));
  });

  it('comes with the end of a process that did not ask for it', async () => {
    const program = `
      const { fixture, openGateway } = await import('./tests/support/upstreams.ts');
      const gateway = await openGateway({ servers: [fixture('tools', ['tools.mjs'])] });
      await gateway.call('tools', 'pid', {});
      process.stdout.write(String((await gateway.status())[0].pid));
      process.exit(0);`;
    const args = ['--conditions=sallyport-source', '--input-type=module', '--eval', program];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
    await until(() => !isRunning(Number(stdout)));
  });

  it('comes while it is still starting, when the gateway ends', async () => {
    const gateway = await openGateway({ servers: [fixture('silent', ['raw.mjs', 'silent'])] });
    const call = failureOf(gateway.call('silent', 'echo', {}));
    await new Promise((resolve) => setTimeout(resolve, 100));
    await gateway[Symbol.asyncDispose]();
    assert.equal((await call).code, 'UPSTREAM_UNREACHABLE');
  });
});
