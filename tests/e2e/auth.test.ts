/** Servers that want a login: a person gives it on the command line, programs use it and never see it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type GuardedUpstream, serveGuarded } from '../support/authorization-server.ts';
import { answerOf, callRunCode, connect, MAIN } from '../support/client.ts';
import { sallyport } from '../support/command.ts';

let folder: string;
let stateDir: string;
let env: Record<string, string>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-auth-'));
  stateDir = join(folder, 'state');
  env = { HOME: folder, SALLYPORT_CONFIG: join(folder, 'config.json') };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function guarded(): Promise<GuardedUpstream> {
  const server = await serveGuarded();
  await writeFile(
    env.SALLYPORT_CONFIG ?? '',
    JSON.stringify({ mcpServers: { web: { type: 'http', url: server.url } } }),
  );
  return server;
}

const command = (...args: readonly string[]) => sallyport(args, { stateDir, env });
const echo = async (text = 'hi') => {
  const { stdout, stderr, ...rest } = await command('call', 'web', 'echo', JSON.stringify({ text }));
  return { ...rest, stderr, stdout: stdout.trimEnd() };
};

/** The person's browser: goes to the page that the command shows, and where that sends it. */
async function browse(page: string): Promise<string> {
  const away = await fetch(page, { redirect: 'manual' });
  const address = away.headers.get('location');
  assert.ok(address, await away.text());
  return address;
}

interface Login {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `carry`: the browser is on another machine, and the person pastes the address that it ended at. */
async function logIn({ carry = false } = {}): Promise<Login> {
  const child = spawn(process.execPath, [MAIN, 'auth', 'web', '--no-browser'], {
    env: { PATH: process.env.PATH, SALLYPORT_STATE_DIR: stateDir, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let [stdout, stderr, hasBrowsed] = ['', '', false];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', async (text: string) => {
    stderr += text;
    const page = /^ {2}(http:\S+)\n/m.exec(stderr)?.[1];
    if (!page || hasBrowsed) return;
    hasBrowsed = true;
    const address = await browse(page);
    if (carry) child.stdin.write(`${address}\n`);
    else await fetch(address);
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout, stderr };
}

const credentialFiles = async () => (await readdir(join(stateDir, 'auth'))).filter((name) => name.endsWith('.json'));

describe('a server that wants a login', () => {
  it('is named with the command, logged in to by a person, called, and logged out of', async () => {
    await using server = await guarded();
    const before = await echo();
    assert.match(before.stderr, /error: Upstream "web" needs a login; a person can run: sallyport auth web\n/);

    const login = await logIn();
    assert.deepEqual([login.code, login.stdout], [0, 'Logged in at web (read)\n'], login.stderr);
    assert.deepEqual(server.counts, { registrations: 1, logins: 1, refreshes: 0, refreshesAtOnce: 0, revoked: 0 });
    assert.deepEqual([(await echo()).stdout], ['hi']);

    const [file = ''] = await credentialFiles();
    assert.equal((await stat(join(stateDir, 'auth', file))).mode & 0o777, 0o600);
    assert.equal((await stat(join(stateDir, 'auth'))).mode & 0o777, 0o700);
    const status = JSON.parse((await command('auth', '--json')).stdout);
    assert.deepEqual(status, [
      { server: 'web', url: server.url, login: 'yes', scope: 'read', expiresAt: null, renewable: true },
    ]);

    // Registered once: a second login is the same client. This time the browser is on another machine.
    const carried = await logIn({ carry: true });
    assert.equal(carried.code, 0, carried.stderr);
    assert.match(
      carried.stderr,
      /Open this page in a browser, on any machine:[\s\S]*copy its address from the browser and paste/,
    );
    assert.equal(server.counts.registrations, 1);

    assert.equal((await command('auth', 'web', '--logout')).stdout, 'Logged out of web\n');
    assert.equal(server.counts.revoked, 2);
    assert.deepEqual(await credentialFiles(), []);
    assert.match((await command('auth')).stdout, /web\s+no login/);
  });

  it('gives programs an error with the command, and works for them as soon as somebody has logged in', async () => {
    await using server = await guarded();
    await using connection = await connect({ stateDir, env });
    const run = async (code: string) => answerOf(await callRunCode(connection.client, { language: 'python', code }));
    const failing = 'try:\n    mcp.web.echo("x")\nexcept mcp.ToolError as e:\n    print(e.code, e)';
    assert.equal(
      (await run(failing)).out,
      'AUTH_REQUIRED Upstream "web" needs a login; a person can run: sallyport auth web\n',
    );
    assert.match((await run('mcp.search("echo")')).out, /sallyport auth web/);
    assert.equal((await logIn()).code, 0);
    assert.equal((await run('mcp.web.echo("inside")')).out, "'inside'");
    server.forget('access');
    assert.equal((await run('mcp.web.echo("renewed")')).out, "'renewed'");
    assert.equal(server.counts.refreshes, 1);
    server.forget('everything');
    assert.match((await run(failing)).out, /^AUTH_REQUIRED .*sallyport auth web\n$/);
    const { out } = await run(
      'import os, subprocess\nprint(dict(os.environ), subprocess.run(["ls", "-laR", "/workspace", "/tmp"], capture_output=True).stdout)',
    );
    for (const secret of server.secrets) assert.ok(!out.includes(secret));
  });
});

describe('sallyport auth', () => {
  it('says what has no login', async () => {
    await writeFile(env.SALLYPORT_CONFIG ?? '', JSON.stringify({ mcpServers: { local: { command: 'x' } } }));
    assert.match((await command('auth', 'local')).stderr, /"local" is started by a command, and has no login/);
    assert.match((await command('auth', 'nobody')).stderr, /no server "nobody"/);
    assert.equal((await command('auth')).stdout, 'No server here has an address, so none wants a login.\n');
  });
});
