/** A real config of every client, written into a temporary home and found there. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { ServerEntry } from '#clients/entry';
import { CLIENTS } from '#clients/registry';
import { discoverServers } from './discover.ts';

interface Sample {
  readonly client: string;
  /** Below the home. */
  readonly file: string;
  readonly text: string;
  readonly entries: readonly ServerEntry[];
  /** Servers that a project has of the same client, in this file below it. */
  readonly projectFile?: string;
}

const DEFAULTS = {
  isTransportGuessed: false,
  args: [],
  env: {},
  envNames: [],
  headers: {},
  disabled: false,
  inputs: [],
  share: 'all',
  trusted: false,
} as const;

function stdio(
  name: string,
  command: string,
  args: readonly string[] = [],
  more: Partial<ServerEntry> = {},
): ServerEntry {
  return { ...DEFAULTS, name, transport: 'stdio', command, args, ...more };
}

function remote(name: string, transport: 'http' | 'sse', url: string, more: Partial<ServerEntry> = {}): ServerEntry {
  return { ...DEFAULTS, name, transport, url, ...more };
}

const AUTH = { Authorization: 'Bearer abcdefgh' };
const npx = (name: string, more: Partial<ServerEntry> = {}) => stdio(name, 'npx', ['-y', `${name}-mcp`], more);

const SAMPLES: readonly Sample[] = [
  {
    client: 'claude-desktop',
    file: '.config/Claude/claude_desktop_config.json',
    text: `{
  "globalShortcut": "",
  "mcpServers": {
    "files": { "command": "npx", "args": ["-y", "files-mcp"], "env": { "ROOT": "/data" } }
  }
}`,
    entries: [npx('files', { env: { ROOT: '/data' } })],
  },
  {
    client: 'claude-code',
    file: '.claude.json',
    text: `{
  "numStartups": 12,
  "mcpServers": {
    "sentry": { "type": "http", "url": "https://mcp.sentry.dev/mcp", "headers": { "Authorization": "Bearer \${TOKEN}" } },
    "old": { "type": "sse", "url": "https://old.example/sse" },
    "db": { "type": "stdio", "command": "npx", "args": ["-y", "db-mcp"], "env": { "DSN": "\${DSN:-sqlite://x}" }, "timeout": 90000 }
  },
  "projects": { "/elsewhere": { "mcpServers": { "other": { "command": "other" } } } }
}`,
    entries: [
      remote('sentry', 'http', 'https://mcp.sentry.dev/mcp', { headers: AUTH }),
      remote('old', 'sse', 'https://old.example/sse'),
      npx('db', { env: { DSN: 'sqlite://x' }, timeoutMs: 90_000 }),
    ],
    projectFile: '.mcp.json',
  },
  {
    client: 'cursor',
    file: '.cursor/mcp.json',
    text: `{
  "mcpServers": {
    "linear": { "url": "https://mcp.linear.app/mcp", "headers": { "Authorization": "Bearer \${env:TOKEN}" }, "auth": { "CLIENT_ID": "me", "scopes": ["read"] } },
    "local": { "command": "npx", "args": ["-y", "local-mcp", "\${userHome}\${/}notes"] }
  }
}`,
    entries: [
      remote('linear', 'http', 'https://mcp.linear.app/mcp', {
        headers: AUTH,
        isTransportGuessed: true,
        oauth: { clientId: 'me', scopes: ['read'] },
      }),
      stdio('local', 'npx', ['-y', 'local-mcp', '~/notes']),
    ],
    projectFile: '.cursor/mcp.json',
  },
  {
    client: 'vscode',
    file: '.config/Code/User/mcp.json',
    text: `{
  // comments are allowed here
  "inputs": [{ "type": "promptString", "id": "region", "description": "Region", "default": "eu" },],
  "servers": {
    "github": { "type": "http", "url": "https://api.githubcopilot.com/mcp/" },
    "cloud": { "type": "stdio", "command": "npx", "args": ["-y", "cloud-mcp"], "env": { "REGION": "\${input:region}", "GONE": null } },
  },
}`,
    entries: [
      remote('github', 'http', 'https://api.githubcopilot.com/mcp/', { inputs: [region()] }),
      npx('cloud', { env: { REGION: 'eu' }, inputs: [region()] }),
    ],
    projectFile: '.vscode/mcp.json',
  },
  {
    client: 'vscode',
    file: '.config/Code - Insiders/User/profiles/-1a2b3c/mcp.json',
    text: '{ "servers": { "a": { "command": "a" } } }',
    entries: [stdio('a', 'a')],
  },
  {
    client: 'vscode',
    file: '.config/Code/User/settings.json',
    text: '{ "editor.fontSize": 14, "mcp": { "servers": { "a": { "command": "a" } } }, }',
    entries: [stdio('a', 'a')],
  },
  {
    client: 'windsurf',
    file: '.codeium/windsurf/mcp_config.json',
    text: `{ "mcpServers": {
      "figma": { "serverUrl": "https://mcp.figma.com/mcp", "headers": { "Authorization": "Bearer \${env:TOKEN}" } },
      "files": { "command": "npx", "args": ["-y", "files-mcp"], "disabled": true, "disabledTools": ["delete"] } } }`,
    entries: [
      remote('figma', 'http', 'https://mcp.figma.com/mcp', { headers: AUTH, isTransportGuessed: true }),
      npx('files', { disabled: true, toolFilter: { exclude: ['delete'] } }),
    ],
  },
  {
    client: 'devin',
    file: '.config/devin/mcp_config.json',
    text: '{ "mcpServers": { "a": { "serverUrl": "https://a.example/mcp", "disabledTools": ["x"] } } }',
    entries: [
      remote('a', 'http', 'https://a.example/mcp', { isTransportGuessed: true, toolFilter: { exclude: ['x'] } }),
    ],
    projectFile: '.devin/mcp_config.json',
  },
  {
    client: 'cline',
    file: '.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
    text: `{ "mcpServers": {
      "a": { "command": "npx", "args": ["-y", "a-mcp"], "disabled": false, "autoApprove": ["read"], "timeout": 60 },
      "b": { "type": "streamableHttp", "url": "https://b.example/mcp", "disabled": true } } }`,
    entries: [npx('a', { timeoutMs: 60_000 }), remote('b', 'http', 'https://b.example/mcp', { disabled: true })],
  },
  {
    client: 'cline',
    file: '.cline/data/settings/cline_mcp_settings.json',
    text: '{ "mcpServers": { "a": { "type": "sse", "url": "https://a.example/events" } } }',
    entries: [remote('a', 'sse', 'https://a.example/events')],
  },
  {
    client: 'roo',
    file: '.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json',
    text: '{ "mcpServers": { "a": { "type": "streamable-http", "url": "https://a.example/mcp", "alwaysAllow": [], "timeout": 30 } } }',
    entries: [remote('a', 'http', 'https://a.example/mcp', { timeoutMs: 30_000 })],
    projectFile: '.roo/mcp.json',
  },
  {
    client: 'kilo',
    file: '.config/kilo/kilo.jsonc',
    text: `{ "mcp": {
      "a": { "type": "local", "command": ["npx", "-y", "a-mcp"], "environment": { "K": "{env:TOKEN}" }, "enabled": true },
      "elsewhere": { "enabled": false } /* a switch for a server of another file */ } }`,
    entries: [npx('a', { env: { K: 'abcdefgh' } })],
    projectFile: '.kilo/kilo.json',
  },
  {
    client: 'zed',
    file: '.config/zed/settings.json',
    text: `{
  // Zed settings
  "theme": "One Dark",
  "context_servers": {
    "a": { "source": "custom", "command": "npx", "args": ["-y", "a-mcp"], "env": {}, "timeout": 5 },
    "b": { "command": { "path": "npx", "args": ["-y", "b-mcp"], "env": { "X": "1" } } },
    "c": { "enabled": false, "url": "https://c.example/mcp", "headers": { "Authorization": "Bearer abcdefgh" } },
    "of-an-extension": { "source": "extension", "settings": { "key": "x" } },
  },
}`,
    entries: [
      npx('a', { timeoutMs: 5_000 }),
      npx('b', { env: { X: '1' } }),
      remote('c', 'http', 'https://c.example/mcp', { headers: AUTH, isTransportGuessed: true, disabled: true }),
    ],
    projectFile: '.zed/settings.json',
  },
  {
    client: 'continue',
    file: '.continue/config.yaml',
    text: `name: mine
version: 0.0.1
schema: v1
mcpServers:
  - name: a
    command: npx
    args:
      - -y
      - a-mcp
    env:
      KEY: \${{ secrets.TOKEN }}
    connectionTimeout: 20000
  - name: b
    type: streamable-http
    url: https://b.example/mcp
    requestOptions:
      headers:
        Authorization: Bearer \${{ secrets.TOKEN }}
`,
    entries: [
      npx('a', { env: { KEY: 'abcdefgh' }, startTimeoutMs: 20_000 }),
      remote('b', 'http', 'https://b.example/mcp', { headers: AUTH }),
    ],
  },
  {
    client: 'continue',
    file: '.continue/mcpServers/more.yaml',
    text: 'name: block\nversion: 0.0.1\nschema: v1\nmcpServers:\n  - {name: a, command: npx, args: [-y, a-mcp]}\n',
    entries: [npx('a')],
    projectFile: '.continue/mcpServers/more.yaml',
  },
  {
    client: 'continue',
    file: '.continue/mcpServers/from-claude.json',
    text: '{ "mcpServers": { "a": { "command": "npx", "args": ["-y", "a-mcp"] } } }',
    entries: [npx('a')],
  },
  {
    client: 'codex',
    file: '.codex/config.toml',
    text: `model = "gpt-5"

[mcp_servers.a]
command = "npx"
args = ["-y", "a-mcp"]
env_vars = ["TOKEN", "NOT_SET", { name = "FAR", source = "remote" }]
startup_timeout_sec = 20
tool_timeout_sec = 1.5
enabled_tools = ["read", "list"]
disabled_tools = ["list"]

[mcp_servers.a.env]
MODE = "fast"

[mcp_servers.a.tools.read]
approval_mode = "approve"

[mcp_servers.b]
url = "https://b.example/mcp"
bearer_token_env_var = "TOKEN"
http_headers = { "X-Region" = "eu" }
env_http_headers = { "X-Key" = "TOKEN" }
enabled = false
`,
    entries: [
      npx('a', {
        env: { TOKEN: 'abcdefgh', MODE: 'fast' },
        envNames: ['TOKEN', 'NOT_SET'],
        startTimeoutMs: 20_000,
        timeoutMs: 1_500,
        toolFilter: { include: ['read', 'list'], exclude: ['list'] },
      }),
      remote('b', 'http', 'https://b.example/mcp', {
        headers: { 'X-Region': 'eu', 'X-Key': 'abcdefgh', ...AUTH },
        isTransportGuessed: true,
        disabled: true,
      }),
    ],
    projectFile: '.codex/config.toml',
  },
  {
    client: 'gemini',
    file: '.gemini/settings.json',
    text: `{
  "mcp": { "excluded": ["off"] },
  "mcpServers": {
    "a": { "command": "npx", "args": ["-y", "a-mcp"], "env": { "KEY": "$TOKEN", "PRICE": "5$ each" }, "cwd": "./sub", "timeout": 15000, "trust": true,
           "includeTools": ["safe"], "excludeTools": ["unsafe"] },
    "b": { "httpUrl": "https://b.example/mcp" },
    "c": { "url": "https://c.example/events" },
    "d": { "url": "https://d.example/mcp", "type": "http" },
    "off": { "command": "off" }
  }
}`,
    entries: [
      npx('a', {
        env: { KEY: 'abcdefgh', PRICE: '5$ each' },
        cwd: '~/.gemini/sub',
        timeoutMs: 15_000,
        toolFilter: { include: ['safe'], exclude: ['unsafe'] },
      }),
      remote('b', 'http', 'https://b.example/mcp'),
      remote('c', 'sse', 'https://c.example/events', { isTransportGuessed: true }),
      remote('d', 'http', 'https://d.example/mcp'),
      stdio('off', 'off', [], { disabled: true }),
    ],
    projectFile: '.gemini/settings.json',
  },
  {
    client: 'antigravity',
    file: '.gemini/config/mcp_config.json',
    text: '{ "mcpServers": { "a": { "serverUrl": "https://a.example/mcp" } } } // comments are fine',
    entries: [remote('a', 'http', 'https://a.example/mcp', { isTransportGuessed: true })],
    projectFile: '.agents/mcp_config.json',
  },
  {
    client: 'antigravity',
    file: '.gemini/antigravity/mcp_config.json',
    text: '{ "mcpServers": { "a": { "command": "a" } } }',
    entries: [stdio('a', 'a')],
  },
  {
    client: 'opencode',
    file: '.config/opencode/opencode.json',
    text: `{
  "$schema": "https://opencode.ai/config.json",
  "tools": { "a_delete": false, "b_*": false, "b_read": true },
  "mcp": {
    "a": { "type": "local", "command": ["npx", "-y", "a-mcp"], "environment": { "K": "{env:TOKEN}" }, "enabled": true, "timeout": 5000 },
    "b": { "type": "remote", "url": "https://b.example/mcp", "headers": { "Authorization": "Bearer {env:TOKEN}" }, "enabled": false },
    "timeout": 3000
  }
}`,
    entries: [
      npx('a', { env: { K: 'abcdefgh' }, timeoutMs: 5_000, toolFilter: { exclude: ['delete'] } }),
      remote('b', 'http', 'https://b.example/mcp', {
        headers: AUTH,
        isTransportGuessed: true,
        disabled: true,
        toolFilter: { include: ['read'] },
      }),
    ],
    projectFile: 'opencode.json',
  },
  {
    client: 'opencode',
    file: '.config/opencode/opencode.jsonc',
    text: `{ "mcp": { "timeout": { "startup": 1 }, "servers": {
      "a": { "type": "local", "command": ["npx", "-y", "a-mcp"], "disabled": true, "timeout": { "startup": 9000, "execution": 7000 } }, } } }`,
    entries: [npx('a', { disabled: true, startTimeoutMs: 9_000, timeoutMs: 7_000 })],
  },
  {
    client: 'opencode',
    file: '.opencode.json',
    text: '{ "mcpServers": { "a": { "type": "stdio", "command": "npx", "args": ["-y", "a-mcp"] } } }',
    entries: [npx('a')],
  },
  {
    client: 'goose',
    file: '.config/goose/config.yaml',
    text: `GOOSE_PROVIDER: anthropic
extensions:
  developer:
    enabled: true
    type: builtin
    name: developer
  a:
    available_tools: []
    cmd: npx
    args: [-y, a-mcp]
    description: Finds things
    enabled: true
    env_keys: [TOKEN]
    envs: {MODE: fast}
    name: a
    timeout: 300
    type: stdio
  b:
    type: streamable_http
    uri: https://b.example/mcp
    headers: {Authorization: Bearer abcdefgh}
    enabled: false
`,
    entries: [
      npx('a', { env: { TOKEN: 'abcdefgh', MODE: 'fast' }, timeoutMs: 300_000, description: 'Finds things' }),
      remote('b', 'http', 'https://b.example/mcp', { headers: AUTH, disabled: true }),
    ],
  },
  {
    client: 'amazon-q',
    file: '.aws/amazonq/cli-agents/mine.json',
    text: `{ "name": "mine", "description": "An agent of mine", "tools": ["*"],
      "mcpServers": { "a": { "command": "npx", "args": ["-y", "a-mcp"], "timeout": 120000, "disabled": false } } }`,
    entries: [npx('a', { timeoutMs: 120_000 })],
    projectFile: '.amazonq/cli-agents/mine.json',
  },
  {
    client: 'amazon-q',
    file: '.aws/amazonq/mcp.json',
    text: '{ "mcpServers": { "a": { "type": "http", "url": "https://a.example/mcp", "oauthScopes": ["openid"] } } }',
    entries: [remote('a', 'http', 'https://a.example/mcp', { oauth: { scopes: ['openid'] } })],
  },
  {
    client: 'kiro',
    file: '.kiro/settings/mcp.json',
    text: '{ "mcpServers": { "a": { "command": "npx", "args": ["-y", "a-mcp"], "disabled": true, "autoApprove": ["x"], "disabledTools": ["y"] } } }',
    entries: [npx('a', { disabled: true, toolFilter: { exclude: ['y'] } })],
    projectFile: '.kiro/settings/mcp.json',
  },
  {
    client: 'lm-studio',
    file: '.lmstudio/mcp.json',
    text: '{ "mcpServers": { "a": { "url": "https://a.example/mcp", "headers": { "Authorization": "Bearer abcdefgh" } } } }',
    entries: [remote('a', 'http', 'https://a.example/mcp', { headers: AUTH, isTransportGuessed: true })],
  },
  {
    client: 'lm-studio',
    file: '.cache/lm-studio/mcp.json',
    text: '{ "mcpServers": { "a": { "command": "a" } } }',
    entries: [stdio('a', 'a')],
  },
  {
    client: 'junie',
    file: '.junie/mcp/mcp.json',
    text: '{ "mcpServers": { "a": { "type": "stdio", "command": "npx", "args": ["-y", "a-mcp"] } } }',
    entries: [npx('a')],
    projectFile: '.junie/mcp/mcp.json',
  },
  {
    client: 'warp',
    file: '.warp/.mcp.json',
    text: '{ "mcpServers": { "a": { "command": "npx", "args": ["-y", "a-mcp"], "working_directory": "/srv/a" } } }',
    entries: [npx('a', { cwd: '/srv/a' })],
    projectFile: '.warp/.mcp.json',
  },
  {
    client: 'amp',
    file: '.config/amp/settings.json',
    text: '{ "amp.mcpServers": { "a": { "command": "npx", "args": ["-y", "a-mcp"], "includeTools": ["read_*"] } } }',
    entries: [npx('a', { toolFilter: { include: ['read_*'] } })],
    projectFile: '.amp/settings.jsonc',
  },
  {
    client: 'factory',
    file: '.factory/mcp.json',
    text: '{ "mcpServers": { "a": { "type": "stdio", "command": "npx", "args": ["-y", "a-mcp"], "disabled": false } } }',
    entries: [npx('a')],
    projectFile: '.factory/mcp.json',
  },
  {
    client: 'qwen',
    file: '.qwen/settings.json',
    text: '{ "allowMCPServers": ["a"], "mcpServers": { "a": { "command": "npx", "args": ["-y", "a-mcp"] }, "b": { "command": "b" } } }',
    entries: [npx('a'), stdio('b', 'b', [], { disabled: true })],
    projectFile: '.qwen/settings.json',
  },
  {
    client: 'crush',
    file: '.config/crush/crush.json',
    text: `{ "$schema": "https://charm.land/crush.json", "mcp": {
      "a": { "type": "stdio", "command": "npx", "args": ["-y", "a-mcp"], "timeout": 120, "disabled_tools": ["x"], "env": { "N": "$(echo $TOKEN)" } },
      "b": { "type": "http", "url": "https://b.example/mcp", "headers": { "Authorization": "Bearer $TOKEN" } } } }`,
    entries: [
      npx('a', { timeoutMs: 120_000, toolFilter: { exclude: ['x'] }, env: { N: 'abcdefgh' } }),
      remote('b', 'http', 'https://b.example/mcp', { headers: AUTH }),
    ],
    projectFile: '.crush.json',
  },
  {
    client: 'grok',
    file: '.grok/config.toml',
    text: '[mcp_servers.a]\ncommand = "npx"\nargs = ["-y", "a-mcp"]\nenabled = true\ntool_timeout_sec = 30\n\n[mcp_servers.a.env]\nX = "1"\n',
    entries: [npx('a', { env: { X: '1' }, timeoutMs: 30_000 })],
    projectFile: '.grok/config.toml',
  },
  {
    client: 'kimi',
    file: '.kimi-code/mcp.json',
    text: '{ "mcpServers": { "a": { "transport": "http", "url": "https://a.example/mcp", "toolTimeoutMs": 4000, "startupTimeoutMs": 2000 } } }',
    entries: [remote('a', 'http', 'https://a.example/mcp', { timeoutMs: 4_000, startTimeoutMs: 2_000 })],
    projectFile: '.kimi-code/mcp.json',
  },
  {
    client: 'copilot-cli',
    file: '.copilot/mcp-config.json',
    text: `{ "mcpServers": {
      "a": { "type": "local", "command": "npx", "args": ["-y", "a-mcp"], "tools": ["*"] },
      "b": { "type": "http", "url": "https://b.example/mcp", "tools": ["read", "list"] },
      "c": { "type": "local", "command": "c", "tools": "read, list" } } }`,
    entries: [
      npx('a'),
      remote('b', 'http', 'https://b.example/mcp', { toolFilter: { include: ['read', 'list'] } }),
      stdio('c', 'c', [], { toolFilter: { include: ['read', 'list'] } }),
    ],
    projectFile: '.github/mcp.json',
  },
  {
    client: 'augment',
    file: '.augment/settings.json',
    text: '{ "mcpServers": { "a": { "command": "npx", "args": ["-y", "a-mcp"] } } }',
    entries: [npx('a')],
    projectFile: '.augment/settings.json',
  },
  {
    client: 'rovo-dev',
    file: '.rovodev/mcp.json',
    text: '{ "mcpServers": { "a": { "command": "npx", "args": ["-y", "a-mcp"] } } }',
    entries: [npx('a')],
    projectFile: '.rovodev/mcp.json',
  },
  {
    client: 'mcporter',
    file: '.mcporter/mcporter.json',
    text: `{ "mcpServers": {
      "a": { "command": "npx -y a-mcp", "description": "Does a", "blockedTools": ["x"] },
      "b": { "baseUrl": "https://b.example/mcp", "headers": { "X-Key": "$env:TOKEN" } } }, "imports": [] }`,
    entries: [
      npx('a', { description: 'Does a', toolFilter: { exclude: ['x'] } }),
      remote('b', 'http', 'https://b.example/mcp', { headers: { 'X-Key': 'abcdefgh' }, isTransportGuessed: true }),
    ],
    projectFile: 'config/mcporter.json',
  },
  {
    client: 'inspector',
    file: '.mcp-inspector/mcp.json',
    text: '{ "mcpServers": { "a": { "command": "npx", "args": ["-y", "a-mcp"] } } }',
    entries: [npx('a')],
  },
];

function region() {
  return { id: 'region', description: 'Region', isPassword: false, default: 'eu', options: [] };
}

let root = '';
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'sallyport-clients-'));
});
after(() => rm(root, { recursive: true }));

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** The home is different every time; the table calls it `~`. */
function withHome(entries: readonly ServerEntry[], home: string): ServerEntry[] {
  return JSON.parse(JSON.stringify(entries).replaceAll('~/', `${home}/`));
}

describe('discoverServers() reads the config of', () => {
  for (const [index, { client, file, text, entries, projectFile }] of SAMPLES.entries()) {
    const home = () => join(root, `home-${index}`);
    const options = () => ({
      place: { os: 'linux', home: home(), env: { TOKEN: 'abcdefgh' } } as const,
      clients: CLIENTS.filter(({ id }) => id === client),
    });

    it(`${client}, ~/${file}`, async () => {
      await put(join(home(), file), text);
      const { servers, problems } = await discoverServers(options());
      assert.deepEqual(problems, []);
      assert.deepEqual(
        servers.map(({ entry }) => entry),
        withHome(entries, home()),
      );
      for (const { source } of servers) {
        assert.deepEqual(source, { client, file: join(home(), file), scope: 'user' });
      }
    });

    if (projectFile === undefined) continue;
    it(`${client}, ${projectFile} of a project, only when it is trusted`, async () => {
      const project = join(root, `project-${index}`);
      await put(join(project, projectFile), text);
      const inProject = { ...options(), place: { ...options().place, home: join(root, 'empty') }, project };
      assert.deepEqual((await discoverServers(inProject)).servers, []);
      assert.deepEqual((await discoverServers({ ...inProject, isTrusted: () => false })).servers, []);
      const { servers, problems } = await discoverServers({
        ...inProject,
        isTrusted: async (folder) => folder === project,
      });
      assert.deepEqual(problems, []);
      assert.deepEqual(
        servers.map(({ name }) => name),
        entries.map(({ name }) => name),
      );
      for (const { source, entry } of servers) {
        assert.deepEqual(source, { client, file: join(project, projectFile), scope: 'project' });
        if (entry.command !== undefined)
          assert.match(entry.cwd ?? '', /^\//, 'starts in a folder of its own or the project');
      }
    });
  }

  it('every client of the registry, but those without files of the user', () => {
    const sampled = new Set(SAMPLES.map(({ client }) => client));
    const missing = CLIENTS.map(({ id }) => id).filter((id) => !sampled.has(id));
    assert.deepEqual(missing, ['jetbrains', 'visual-studio']);
  });

  it('JetBrains AI Assistant and Visual Studio in a project', async () => {
    const project = join(root, 'project-of-ides');
    await put(join(project, '.ai/mcp/mcp.json'), '{ "mcpServers": { "a": { "command": "a" } } }');
    await put(join(project, '.vs/mcp.json'), '{ "servers": { "b": { "command": "b" } } }');
    await put(join(project, '.mcp.json'), '{ "servers": { "c": { "command": "c" } } }');
    const place = { os: 'linux', home: join(root, 'empty'), env: {} } as const;
    const { servers } = await discoverServers({ place, project, isTrusted: () => true });
    assert.deepEqual(
      servers.map(({ name, source }) => `${name} ${source.client}`),
      ['c claude-code', 'a jetbrains', 'b visual-studio'],
    );
  });
});
