/** Which servers there are, seen from outside: trusted projects, inputs, changed files, broken files. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { answerOf, callRunCode, connect } from '../support/client.ts';
import { sallyport } from '../support/command.ts';
import { until } from '../support/upstreams.ts';

const FIXTURES = fileURLToPath(new URL('../fixtures/upstream/', import.meta.url));
const TOOLS = { command: process.execPath, args: [join(FIXTURES, 'tools.mjs')] };

let root: string;
let home: string;
let project: string;
before(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'sallyport-config-')));
  home = join(root, 'home');
  project = join(root, 'project');
  await mkdir(home);
});
after(() => rm(root, { recursive: true, force: true }));

async function put(path: string, content: unknown): Promise<void> {
  const file = join(root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
}

async function command(...args: readonly string[]) {
  return await sallyport(args, { stateDir: join(root, 'state'), env: { HOME: home, SALLYPORT_PROJECT: project } });
}

async function servers(): Promise<{ names: string[]; report: Record<string, unknown[]> }> {
  const { stdout } = await command('servers', '--json');
  const report = JSON.parse(stdout);
  return { names: report.servers.map(({ name }: { name: string }) => name), report };
}

describe("a project's own files", () => {
  before(async () => {
    await put('project/.mcp.json', { mcpServers: { theirs: TOOLS } });
    await put('project/.vscode/mcp.json', '// comment\n{ "servers": { "code": { "command": "x" }, } }');
    await put('home/MCPs/mine.json', { mcpServers: { mine: TOOLS } });
  });

  it('count for nothing before a person trusts it, and are named', async () => {
    const { names, report } = await servers();
    assert.deepEqual(names, ['mine']);
    assert.deepEqual(report.untrusted, [join(project, '.mcp.json'), join(project, '.vscode/mcp.json')]);
  });

  it('count once it is trusted, and no more when that is taken back', async () => {
    const trusted = await command('trust', project);
    assert.equal(trusted.code, 0, trusted.stderr);
    assert.match(trusted.stdout, /is trusted; programs can reach these servers of it:\n {2}theirs .*tools\.mjs/);
    assert.deepEqual((await servers()).names, ['mine', 'theirs', 'code']);
    assert.equal((await command('trust')).stdout, `${project}\n`);
    assert.equal((await command('trust', '--revoke', project)).stdout, `${project} is no longer trusted\n`);
    assert.deepEqual((await servers()).names, ['mine']);
  });

  it('are picked up by a server that runs: trust, a changed file, a removed one', async () => {
    await using connection = await connect({
      stateDir: join(root, 'state'),
      env: { HOME: home, SALLYPORT_PROJECT: project },
    });
    const names = async () => {
      const code = 'print(",".join(s["name"] for s in mcp.servers()))';
      return answerOf(await callRunCode(connection.client, { language: 'python', code })).out.trim();
    };
    assert.equal(await names(), 'mine');
    await command('trust', project);
    await until(async () => (await names()) === 'mine,theirs,code', 15_000);
    await put('project/.mcp.json', { mcpServers: { others: TOOLS } });
    await until(async () => (await names()) === 'mine,others,code', 15_000);
    const call = 'mcp.others.echo("hi")';
    assert.equal(answerOf(await callRunCode(connection.client, { language: 'python', code: call })).out, "'hi'");
    await command('trust', '--revoke', project);
    await until(async () => (await names()) === 'mine', 15_000);
  });
});

describe('config files that ask or are wrong', () => {
  const broken = () => join(home, 'MCPs/broken.json');
  before(async () => {
    await put('home/MCPs/broken.json', '{\n  "mcpServers": {\n    "a": {"command": "x",, }\n  }\n}');
    await put('home/.codex/config.toml', '[mcp_servers.toml]\ncommand = "x"\n[mcp_servers.bad\n');
    await put('home/.config/Code/User/mcp.json', {
      inputs: [{ id: 'key', type: 'promptString', description: 'API key', password: true, default: 'guess' }],
      servers: { asking: { ...TOOLS, env: { API_KEY: '$' + '{input:key}' } } },
    });
    await put('home/.config/sallyport/config.json', {
      mcpServers: {
        failing: { command: process.execPath, args: ['-e', 'console.error("no licence"); process.exit(3)'] },
      },
    });
  });

  it('cost only themselves, with line and column', async () => {
    const { names, report } = await servers();
    assert.deepEqual(names, ['failing', 'mine', 'asking']);
    assert.deepEqual(report.problems, [
      { file: broken(), line: 3, column: 26, message: 'Not JSON: a name in double quotes is missing' },
      {
        file: join(home, '.codex/config.toml'),
        line: 3,
        column: 17,
        message: 'Not TOML: illegal character in key',
      },
    ]);
  });

  it('doctor says what is missing, never guesses a secret, and shows the last words of what failed', async () => {
    assert.equal((await command('call', 'failing', 'x')).code, 125);
    const { stdout } = await command('doctor');
    assert.match(stdout, /asking lacks the input "key" \(API key\)\n\s+fix: run sallyport doctor on a terminal/);
    assert.match(stdout, /failing: Upstream "failing" ended at its start \(exit code 3\).*\n.*\| no licence/);
    assert.match(stdout, /broken\.json:3:26: Not JSON/);
    const denied = await command('call', 'asking', 'environment');
    assert.match(denied.stderr, /lacks the input "key" \(API key\)\nhint: A person can run: sallyport doctor/);
  });

  it('doctor on a terminal asks, keeps the answer for this user alone, and shows it to nobody', async () => {
    const typed = await onTerminal(['doctor'], 's3cret-value\r');
    assert.match(typed, /asking needs "key": API key \(empty: later, not shown while you type\):/);
    assert.doesNotMatch(typed, /s3cret-value/);
    assert.doesNotMatch(typed, /asking lacks/);
    const { stdout, stderr } = await command('call', 'asking', 'environment');
    assert.match(stdout, /"API_KEY"/, stderr);
  });
});

/** Through a pseudo terminal, which Python has and Node does not. */
async function onTerminal(args: readonly string[], typed: string): Promise<string> {
  const script = `
import os, pty, select, sys
typed = sys.argv[1].encode()
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[2], sys.argv[2:])
seen = b''
while True:
    try:
        chunk = os.read(fd, 65536)
    except OSError:
        break
    if not chunk:
        break
    seen += chunk
    if typed and b'while you type):' in seen:
        os.write(fd, typed)
        typed = b''
os.waitpid(pid, 0)
sys.stdout.buffer.write(seen)
`;
  const { spawn } = await import('node:child_process');
  const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
  const child = spawn('python3', ['-c', script, typed, process.execPath, main, ...args], {
    env: { PATH: process.env.PATH, HOME: home, SALLYPORT_PROJECT: project, SALLYPORT_STATE_DIR: join(root, 'state') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const chunk of child.stdout) text += chunk;
  return text;
}
