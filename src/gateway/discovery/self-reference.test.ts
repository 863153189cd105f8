import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { ServerEntry } from '#clients/entry';
import type { Place } from '#clients/place';
import { selfReference } from './self-reference.ts';

const LINUX: Place = { os: 'linux', home: '/home/me', env: {} };
const WIN: Place = { os: 'win', home: 'C:\\Users\\me', env: {} };

interface Options {
  readonly cwd?: string;
  readonly selfRoot?: string;
  readonly place?: Place;
}

function isSelf(line: readonly string[], { cwd, selfRoot = '/opt/here', place = LINUX }: Options = {}): boolean {
  const [command = '', ...args] = line;
  const entry: ServerEntry = {
    name: 'x',
    transport: 'stdio',
    isTransportGuessed: false,
    command,
    args,
    env: {},
    envNames: [],
    headers: {},
    disabled: false,
    inputs: [],
    share: 'all',
    trusted: false,
    ...(cwd === undefined ? {} : { cwd }),
  };
  return selfReference(entry, { place, selfRoot }) !== undefined;
}

const SELF: ReadonlyArray<readonly [line: readonly string[], options?: Options]> = [
  [['sallyport', 'serve']],
  [['/usr/local/bin/sallyport', 'serve']],
  [['./sallyport', 'serve']],
  [['~/code/sallyport/sallyport', 'serve']],
  [['C:\\tools\\sallyport.cmd', 'serve'], { place: WIN }],
  [['Sallyport.EXE'], { place: WIN }],
  [['npx', 'sallyport', 'serve']],
  [['npx', '-y', 'sallyport@latest', 'serve']],
  [['npx', '--package=sallyport', 'something']],
  [['npx', '-p', 'sallyport@1', 'anything']],
  [['npx', '-y', '-c', 'sallyport serve']],
  [['npx', '-y', 'github:me/sallyport#main']],
  [['npx', './sallyport-0.1.0.tgz']],
  [['npx.cmd', '-y', 'sallyport'], { place: WIN }],
  [['npm', 'exec', '--', 'sallyport', 'serve']],
  [['npm', '--prefix', '/src/sallyport', 'start']],
  [['npm', 'run', 'serve'], { cwd: '/opt/here' }],
  [['pnpm', 'dlx', 'sallyport']],
  [['pnpm', '-C', '/opt/here', 'run', 'serve']],
  [['yarn', 'dlx', 'sallyport']],
  [['bunx', 'sallyport']],
  [['bun', 'x', 'sallyport']],
  [['bun', 'run', '/src/sallyport/src/main.ts']],
  [['deno', 'run', '-A', 'npm:sallyport@1.0.0']],
  [['npx', '-y', 'tsx', '/src/sallyport/src/main.ts', 'serve']],
  [['node', '/src/sallyport/dist/main.js', 'serve']],
  [['node', '--no-warnings', '-r', 'x', '/src/sallyport-1.2/dist/main.js']],
  [['node', '/usr/lib/node_modules/sallyport/scripts/bin.mjs']],
  [['node', '/usr/local/bin/sallyport']],
  [['node', '/opt/here/dist/main.js', 'serve']],
  [['node', 'dist/main.js', 'serve'], { cwd: '/opt/here' }],
  [['node', '../here/dist/main.js'], { cwd: '/opt/there' }],
  [['/opt/here/sallyport']],
  [['node', 'C:\\src\\sallyport\\dist\\main.js'], { place: WIN }],
  [['sh', '-c', 'cd /tmp && exec ./sallyport serve']],
  [['bash', '-lc', 'X=1; npx -y sallyport serve 2>/dev/null']],
  [['bash', '-c', 'cd /opt/here && node dist/main.js serve']],
  [['bash', '/usr/local/bin/sallyport']],
  [['cmd', '/c', 'npx', '-y', 'sallyport'], { place: WIN }],
  [['cmd.exe', '/C', 'sallyport serve'], { place: WIN }],
  [['powershell', '-Command', 'sallyport serve'], { place: WIN }],
  [['wsl', '--', 'sallyport', 'serve'], { place: WIN }],
  [['env', 'A=1', 'sallyport', 'serve']],
  [['env', '-u', 'A', 'sallyport', 'serve']],
  [['env', '-S', 'sallyport serve']],
  [['sudo', '-u', 'me', 'npx', 'sallyport']],
  [['timeout', '60', 'sallyport', 'serve']],
  [['op', 'run', '--env-file=x', '--', 'sallyport', 'serve']],
  [['mise', 'exec', 'node@24', '--', 'npx', 'sallyport']],
  [['ssh', 'host', 'sallyport serve']],
  [['docker', 'run', '-i', '--rm', 'sallyport']],
  [['docker', 'run', '-i', '--rm', '-v', '/a:/b', '-e', 'X=1', '--name', 'x', 'ghcr.io/me/sallyport:1.2', 'serve']],
  [['podman', 'run', '--rm', '-i', 'localhost/sallyport@sha256:0123']],
  [['docker', 'run', '-i', '--entrypoint', 'sallyport', 'node:24']],
  [['docker', 'run', '-i', 'node:24', 'npx', '-y', 'sallyport']],
  [['docker', 'exec', '-i', 'box', 'sallyport', 'serve']],
  [['docker', 'compose', 'run', 'sallyport']],
  [['npx', '-y', 'mcp-remote', 'http://127.0.0.1:7077/mcp']],
];

const OTHERS: ReadonlyArray<readonly [line: readonly string[], options?: Options]> = [
  [['npx', '-y', '@modelcontextprotocol/server-filesystem', '/home/me/sallyport']],
  [['npx', '-y', '@modelcontextprotocol/server-filesystem', 'sallyport']],
  [['node', '/srv/files/dist/index.js', '/home/me/sallyport']],
  [['node', 'server.js'], { cwd: '/home/me/sallyport' }],
  [['node', '/home/me/sallyport/examples/server.js']],
  [['node', '/other/dist/main.js']],
  [['bash', '-c', 'npx -y server-filesystem /home/me/sallyport']],
  [['docker', 'run', '-i', '--rm', '--name', 'sallyport', '-v', '/x/sallyport:/p', 'mcp/filesystem', '/p/sallyport']],
  [['docker', 'mcp', 'gateway', 'run']],
  [['uvx', 'mcp-server-git', '--repository', '/home/me/sallyport']],
  [['sallyport-notes']],
  [['npx', '-y', 'sallyport-notes-mcp']],
  [['npx', '-y', 'mcp-remote', 'https://sallyport.example/mcp']],
  [['npx', '-y', 'mcp-remote', 'http://127.0.0.1:7078/mcp']],
  [['npm', 'run', 'serve'], { cwd: '/srv/other' }],
];

describe('selfReference()', () => {
  for (const [line, options] of SELF) {
    it(`finds Sallyport in: ${line.join(' ')}${options?.cwd ? ` (in ${options.cwd})` : ''}`, () => {
      assert.equal(isSelf(line, options), true);
    });
  }
  for (const [line, options] of OTHERS) {
    it(`finds another server in: ${line.join(' ')}${options?.cwd ? ` (in ${options.cwd})` : ''}`, () => {
      assert.equal(isSelf(line, options), false);
    });
  }

  const remote = (name: string, url: string, selfUrls?: readonly string[]) =>
    selfReference(
      {
        name,
        transport: 'http',
        isTransportGuessed: false,
        url,
        args: [],
        env: {},
        envNames: [],
        headers: {},
        disabled: false,
        inputs: [],
        share: 'all',
        trusted: false,
      },
      { place: LINUX, selfUrls },
    );

  it('knows its name and its addresses', () => {
    assert.equal(remote('Sallyport', 'https://far.example/mcp'), 'Has the name of Sallyport itself');
    assert.equal(remote('x', 'http://localhost:7077/mcp'), 'Leads back to Sallyport itself');
    assert.equal(remote('x', 'http://[::1]:7077/mcp'), 'Leads back to Sallyport itself');
    assert.equal(remote('x', 'http://localhost:9000/mcp', ['http://127.0.0.1:9000']), 'Leads back to Sallyport itself');
    assert.equal(remote('x', 'http://box:9000/mcp', ['http://box:9000']), 'Leads back to Sallyport itself');
    assert.equal(remote('x', 'http://localhost:9001/mcp', ['http://127.0.0.1:9000']), undefined);
    assert.equal(remote('x', 'https://far.example:7077/mcp'), undefined);
  });

  it('knows the installation that it runs in', () => {
    const root = fileURLToPath(new URL('../../..', import.meta.url));
    const entry = { name: 'x', command: 'node', args: [join(root, 'dist/main.js')] };
    assert.equal(
      selfReference(
        {
          transport: 'stdio',
          isTransportGuessed: false,
          env: {},
          envNames: [],
          headers: {},
          disabled: false,
          inputs: [],
          share: 'all',
          trusted: false,
          ...entry,
        },
        { place: LINUX },
      ),
      'Starts Sallyport itself',
    );
  });

  describe('with links', () => {
    let folder = '';
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'sallyport-self-'));
      await mkdir(join(folder, 'install/scripts'), { recursive: true });
      await writeFile(join(folder, 'install/scripts/bin.mjs'), '');
      await symlink(join(folder, 'install/scripts/bin.mjs'), join(folder, 'sp'));
      await symlink(join(folder, 'install'), join(folder, 'other'));
    });
    after(() => rm(folder, { recursive: true }));

    it('sees through them', () => {
      const selfRoot = join(folder, 'install');
      assert.equal(isSelf([join(folder, 'sp'), 'serve'], { selfRoot }), true);
      assert.equal(isSelf(['node', 'other/scripts/bin.mjs'], { selfRoot, cwd: folder }), true);
      assert.equal(isSelf(['node', 'other/scripts/else.mjs'], { selfRoot, cwd: folder }), false);
    });
  });
});
