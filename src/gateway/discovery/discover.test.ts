import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type DiscoveryOptions, discoverServers } from './discover.ts';
import type { Discovery } from './discovery.ts';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'sallyport-discover-'));
});
afterEach(() => rm(root, { recursive: true }));

async function put(path: string, content: unknown): Promise<string> {
  const file = join(root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, typeof content === 'string' || content instanceof Buffer ? content : JSON.stringify(content));
  return file;
}

/** Servers called like their commands. */
function servers(...names: string[]): Record<string, unknown> {
  return { mcpServers: Object.fromEntries(names.map((name) => [name, { command: `${name}-command` }])) };
}

function discover(options: Partial<DiscoveryOptions> = {}): Promise<Discovery> {
  const place = { os: 'linux', home: join(root, 'home'), env: { TOKEN: 'abcdefgh' } } as const;
  return discoverServers({ place, selfRoot: '/opt/here', ...options });
}

const names = ({ servers: found }: Discovery) => found.map(({ name }) => name);

describe('discoverServers() looks', () => {
  it('at the sources in their order, and at files of a folder by name', async () => {
    const project = join(root, 'project');
    await put('home/MCPs/b.json', servers('mcps-b'));
    await put('home/MCPs/a.json', servers('mcps-a'));
    await put('home/MCPs/.hidden.json', servers('hidden'));
    await put('home/MCPs/readme.txt', 'not a config');
    await put('home/.config/mcp/servers/x.json', servers('config-mcp'));
    await put('home/.cursor/mcp.json', servers('cursor-user'));
    await put('home/.claude.json', servers('claude-user'));
    await put('project/.kiro/settings/mcp.json', servers('kiro-project'));
    await put('project/mcp-servers/x.json', servers('mcp-servers'));
    await put('project/.vscode/mcp.json', servers('vscode-project'));
    await put('project/.cursor/mcp.json', servers('cursor-project'));
    await put('project/.mcp.json', servers('mcp-json'));
    const own = { file: await put('own.json', { ...servers('own'), limits: {} }) };
    const serversConfig = await put('named.toml', '[mcp_servers.named]\ncommand = "x"\n');
    const found = await discover({ own, serversConfig, project, isTrusted: () => true });
    assert.deepEqual(found.problems, []);
    assert.deepEqual(
      found.servers.map(({ name, source }) => `${name} ${source.client} ${source.scope}`),
      [
        'named mcp variable',
        'own sallyport own',
        'mcps-a mcp folder',
        'mcps-b mcp folder',
        'config-mcp mcp folder',
        'claude-user claude-code user',
        'cursor-user cursor user',
        'mcp-json claude-code project',
        'cursor-project cursor project',
        'vscode-project vscode project',
        'mcp-servers mcp project',
        'kiro-project kiro project',
      ],
    );
    assert.deepEqual(await discover({ own, serversConfig, project, isTrusted: () => true }), found);
  });

  it('nowhere in a project that nobody trusts', async () => {
    await put('project/.mcp.json', servers('a'));
    assert.deepEqual(names(await discover({ project: join(root, 'project') })), []);
  });

  it('only into the trusted folder, even if its name is a pattern', async () => {
    await put('*/mcp-servers/x.json', servers('mine'));
    await put('other/mcp-servers/x.json', servers('not-mine'));
    await put('other/.mcp.json', servers('not-mine-either'));
    assert.deepEqual(names(await discover({ project: join(root, '*'), isTrusted: () => true })), ['mine']);
  });

  it('at servers of our own config that are given', async () => {
    const own = { file: '/none/config.json', servers: { a: { command: 'x', trusted: true } } };
    const { servers: found } = await discover({ own });
    assert.deepEqual(
      found.map(({ source, entry }) => [source, entry.trusted]),
      [[{ client: 'sallyport', file: '/none/config.json', scope: 'own' }, true]],
    );
  });

  it("at Claude Code's servers for this project first, without asking for trust", async () => {
    const project = join(root, 'project');
    await put('home/.claude.json', {
      mcpServers: { everywhere: { command: 'x' }, both: { command: 'user' }, unwanted: { command: 'y' } },
      projects: {
        [project]: {
          mcpServers: { here: { command: 'h' }, both: { command: 'local' } },
          disabledMcpServers: ['unwanted'],
        },
        [join(root, 'elsewhere')]: { mcpServers: { elsewhere: { command: 'e' } } },
      },
    });
    const summary = (found: Discovery) =>
      found.servers.map(({ name, source, state, entry }) => `${name} ${source.scope} ${state} ${entry.command}`);
    const outside = await discover();
    const inside = await discover({ project: join(project, 'sub') });
    assert.deepEqual(summary(inside), [
      'here local ready h',
      'both local ready local',
      'everywhere user ready x',
      'unwanted user disabled y',
    ]);
    assert.equal(inside.servers[0]?.entry.cwd, join(project, 'sub'));
    await put('home/.claude.json', {
      projects: {
        [join(root, 'home')]: { mcpServers: { a: { command: 'x' } } },
        '/': { mcpServers: { b: { command: 'y' } } },
      },
    });
    assert.deepEqual(names(await discover({ project: join(root, 'home/code') })), []);
    assert.deepEqual(names(await discover({ project: join(root, 'home') })), ['a']);
    await rm(join(root, 'home/.claude.json'));
    assert.deepEqual(summary(outside), ['everywhere user ready x', 'both user ready user', 'unwanted user ready y']);
  });
});

describe('discoverServers() finds a server once', () => {
  it('by name: the first wins, the others are listed', async () => {
    const first = await put('home/MCPs/a.json', { mcpServers: { github: { command: 'one' } } });
    const second = await put('home/.cursor/mcp.json', { mcpServers: { github: { command: 'two' } } });
    const found = await discover();
    assert.deepEqual(
      found.servers.map(({ entry }) => entry.command),
      ['one'],
    );
    assert.deepEqual(found.shadowed, [
      {
        name: 'github',
        source: { client: 'cursor', file: second, scope: 'user' },
        by: { name: 'github', source: { client: 'mcp', file: first, scope: 'folder' } },
        reason: 'same-name',
      },
    ]);
  });

  it('by definition, after references are put in', async () => {
    await put('home/.cursor/mcp.json', {
      mcpServers: { github: { command: 'npx', args: ['gh'], env: { T: '${env:TOKEN}', U: '1' } } },
    });
    await put('home/.kiro/settings/mcp.json', {
      mcpServers: { GitHub: { command: 'npx', args: ['gh'], env: { U: '1', T: 'abcdefgh' } } },
    });
    const found = await discover();
    assert.deepEqual(names(found), ['github']);
    assert.deepEqual(
      found.shadowed.map(({ name, reason }) => [name, reason]),
      [['GitHub', 'same-definition']],
    );
  });

  it('but not when accounts, tools or switches differ', async () => {
    await put('home/.cursor/mcp.json', {
      mcpServers: {
        work: { url: 'https://x/mcp', headers: { Authorization: 'Bearer work-token' } },
        home: { url: 'https://x/mcp', headers: { Authorization: 'Bearer home-token' } },
        read: { command: 'x', includeTools: ['read'] },
        write: { command: 'x', includeTools: ['write'] },
        off: { command: 'x', disabled: true },
        on: { command: 'x' },
      },
    });
    assert.deepEqual(names(await discover()), ['work', 'home', 'read', 'write', 'off', 'on']);
  });

  it('and our own config can switch it off by name alone', async () => {
    await put('home/.cursor/mcp.json', servers('a', 'b'));
    const own = { file: await put('own.json', { mcpServers: { a: { disabled: true } } }) };
    const found = await discover({ own });
    assert.deepEqual(
      found.servers.map(({ name, state }) => [name, state]),
      [
        ['a', 'disabled'],
        ['b', 'ready'],
      ],
    );
  });
});

describe('discoverServers() leaves out', () => {
  it('Sallyport itself, unless it is allowed', async () => {
    const file = await put('home/.cursor/mcp.json', {
      mcpServers: {
        sallyport: { command: 'x' },
        sp: { command: 'npx', args: ['-y', 'sallyport', 'serve'] },
        http: { url: 'http://127.0.0.1:7077/mcp' },
        other: { command: 'y' },
      },
    });
    const found = await discover();
    const source = { client: 'cursor', file, scope: 'user' };
    assert.deepEqual(names(found), ['other']);
    assert.deepEqual(found.skipped, [
      { name: 'sallyport', source, reason: 'Has the name of Sallyport itself' },
      { name: 'sp', source, reason: 'Starts Sallyport itself' },
      { name: 'http', source, reason: 'Leads back to Sallyport itself' },
    ]);
    assert.deepEqual(names(await discover({ allowSelf: true })), ['sallyport', 'sp', 'http', 'other']);
  });

  it('addresses that are none, without repeating them', async () => {
    const file = await put('home/.cursor/mcp.json', {
      mcpServers: { a: { url: 'ftp://secret@x' }, b: { url: 'nonsense' }, c: { url: 'https://x/mcp' } },
    });
    const found = await discover();
    assert.deepEqual(names(found), ['c']);
    assert.deepEqual(
      found.problems,
      ['a', 'b'].map((name) => ({
        file,
        message: `Server "${name}": "url" must be an address with http:// or https://`,
      })),
    );
  });
});

describe('discoverServers() resolves', () => {
  it('inputs and variables, and lists what is missing', async () => {
    const file = await put('home/.config/Code/User/mcp.json', {
      inputs: [{ type: 'promptString', id: 'key', description: 'API key', password: true }],
      servers: {
        missing: { command: 'x', env: { KEY: '${input:key}', OTHER: '${NOT_SET}' } },
        off: { command: 'x', disabled: true, env: { KEY: '${input:key}' } },
        fine: { command: 'x' },
      },
    });
    const found = await discover();
    assert.deepEqual(
      found.servers.map(({ name, state }) => [name, state]),
      [
        ['missing', 'needs-input'],
        ['off', 'disabled'],
        ['fine', 'ready'],
      ],
    );
    assert.deepEqual(
      found.needsInput.map(({ name, needs }) => [name, needs]),
      [
        [
          'missing',
          [
            { kind: 'input', id: 'key', description: 'API key', isSecret: true, options: [] },
            { kind: 'variable', id: 'NOT_SET', isSecret: false, options: [] },
          ],
        ],
      ],
    );

    const place = { os: 'linux', home: join(root, 'home'), env: { NOT_SET: 'now' } } as const;
    const answered = await discover({
      place,
      answer: (id, from) => (id === 'key' && from === file ? 'my-secret' : undefined),
    });
    const [server] = answered.servers;
    assert.deepEqual([server?.state, server?.entry.env], ['ready', { KEY: 'my-secret', OTHER: 'now' }]);
    assert.deepEqual(server?.secrets, [{ name: 'key', value: 'my-secret' }]);
    assert.equal(server?.fingerprint, found.servers[0]?.fingerprint);
    assert.notEqual(server?.fingerprint, answered.servers[2]?.fingerprint);
  });

  it('folders, files of variables and the home', async () => {
    const project = join(root, 'project');
    await put('project/.env', 'FROM_FILE=1\nBOTH=file\nFILE_TOKEN="abcdefgh"\n');
    await put('project/.vscode/mcp.json', {
      servers: {
        a: {
          command: '~/bin/a',
          args: ['~/stays', '${workspaceFolder}'],
          cwd: 'sub',
          envFile: '${workspaceFolder}/.env',
          env: { BOTH: 'entry' },
        },
        b: { command: 'b', envFile: '.none' },
      },
    });
    const found = await discover({ project, isTrusted: () => true });
    const { entry, secrets } = found.servers[0] ?? {};
    assert.deepEqual(
      [entry?.command, entry?.args, entry?.cwd, entry?.env],
      [
        join(root, 'home/bin/a'),
        ['~/stays', project],
        join(project, 'sub'),
        { FROM_FILE: '1', BOTH: 'entry', FILE_TOKEN: 'abcdefgh' },
      ],
    );
    assert.deepEqual(secrets, [{ name: 'FILE_TOKEN', value: 'abcdefgh' }]);
    assert.deepEqual(found.servers[1]?.needs, [
      { kind: 'file', id: join(project, '.none'), isSecret: false, options: [] },
    ]);
  });
});

describe('discoverServers() survives', () => {
  it('files that are wrong in every way, which cost only themselves', async () => {
    await put('home/MCPs/a-broken.json', '{\n  "mcpServers": {\n    "x": \n  }\n}');
    await put('home/MCPs/b-binary.json', Buffer.from([0x7b, 0x80, 0xff]));
    await put('home/MCPs/c-huge.json', `{"mcpServers": {}, "pad": "${'x'.repeat(1024 * 1024)}"}`);
    await put('home/MCPs/d-folder.json/inner', '');
    await symlink('f-loop.json', join(root, 'home/MCPs/e-loop.json'));
    await symlink('e-loop.json', join(root, 'home/MCPs/f-loop.json'));
    await symlink('nowhere.json', join(root, 'home/MCPs/g-dangling.json'));
    await put('home/MCPs/h-empty.json', '');
    await put('home/MCPs/i-utf16.json', Buffer.from(`\uFEFF${JSON.stringify(servers('utf16'))}`, 'utf16le'));
    await put('home/MCPs/j-fine.json', servers('fine'));
    await put('home/elsewhere/linked.json', servers('linked'));
    await symlink('../elsewhere/linked.json', join(root, 'home/MCPs/k-link.json'));
    const found = await discover();
    assert.deepEqual(names(found), ['utf16', 'fine', 'linked']);
    assert.deepEqual(
      found.problems.map(({ file, line, column, message }) => [
        file.slice(join(root, 'home/MCPs/').length),
        line,
        column,
        message,
      ]),
      [
        ['a-broken.json', 4, 3, 'Not JSON: a value is missing'],
        ['b-binary.json', undefined, undefined, 'Is not text in UTF-8'],
        ['c-huge.json', undefined, undefined, 'Has 1.0 MiB; a config of at most 1.0 MiB is read'],
        ['d-folder.json', undefined, undefined, 'Is a folder where a file is expected'],
        ['e-loop.json', undefined, undefined, 'Cannot be read: its links lead in a circle'],
        ['f-loop.json', undefined, undefined, 'Cannot be read: its links lead in a circle'],
      ],
    );
  });

  it('a file that may not be read', async () => {
    const file = await put('home/.cursor/mcp.json', servers('a'));
    await chmod(file, 0);
    await chmod(root, 0o755);
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(65534);
    try {
      assert.deepEqual((await discover()).problems, [{ file, message: 'Cannot be read: permission denied' }]);
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });

  it('a folder that may not be looked into', async () => {
    await put('home/MCPs/a.json', servers('a'));
    await chmod(join(root, 'home/MCPs'), 0);
    await chmod(root, 0o755);
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(65534);
    try {
      const file = join(root, 'home/MCPs/*.{json,jsonc,toml,yaml,yml}');
      assert.deepEqual((await discover()).problems, [{ file, message: 'Cannot be read: permission denied' }]);
    } finally {
      if (isRoot) process.seteuid?.(0);
      await chmod(join(root, 'home/MCPs'), 0o755);
    }
  });

  it('pipes and devices, without waiting for them', { skip: process.platform === 'win32' }, async () => {
    await put('home/MCPs/a.json', servers('a'));
    execFileSync('/usr/bin/env', ['mkfifo', join(root, 'home/MCPs/pipe.json')]);
    await symlink('/dev/zero', join(root, 'home/MCPs/zero.json'));
    const found = await discover();
    assert.deepEqual(names(found), ['a']);
    assert.deepEqual(
      found.problems.map(({ message }) => message),
      ['Is no plain file', 'Is no plain file'],
    );
  });

  it('a large file of Claude Code, which holds its history', async () => {
    await put('home/.claude.json', { history: 'x'.repeat(3 * 1024 * 1024), ...servers('a') });
    assert.deepEqual(names(await discover()), ['a']);
  });

  it('a named file that is missing, and says so', async () => {
    const serversConfig = join(root, 'none.json');
    assert.deepEqual((await discover({ serversConfig })).problems, [
      { file: serversConfig, message: 'Does not exist, though MCP_SERVERS_CONFIG names it' },
    ]);
  });

  it('a home that does not exist', async () => {
    const nothing = { servers: [], problems: [], shadowed: [], skipped: [], needsInput: [], untrusted: [] };
    assert.deepEqual(await discover(), nothing);
  });
});
