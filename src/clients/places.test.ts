/** Where every client keeps the user's servers on each system; nothing here touches a disk. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Place } from './place.ts';
import { CLIENTS } from './registry.ts';

const LINUX: Place = { os: 'linux', home: '/home/me', env: {} };
const MAC: Place = { os: 'mac', home: '/Users/me', env: {} };
const WIN: Place = { os: 'win', home: 'C:\\Users\\me', env: {} };

function filesOf(client: string, place: Place): readonly string[] {
  const definition = CLIENTS.find(({ id }) => id === client);
  assert.ok(definition, client);
  return definition.userFiles(place);
}

const SUPPORT = '/Users/me/Library/Application Support';
const ROAMING = 'C:\\Users\\me\\AppData\\Roaming';
const HOME = 'C:\\Users\\me';

/** The first file of each; those that are the same below every home are written once. */
const FIRST_FILES: ReadonlyArray<readonly [client: string, linux: string, mac: string, win: string]> = [
  [
    'claude-desktop',
    '/home/me/.config/Claude/claude_desktop_config.json',
    `${SUPPORT}/Claude/claude_desktop_config.json`,
    `${ROAMING}\\Claude\\claude_desktop_config.json`,
  ],
  [
    'vscode',
    '/home/me/.config/Code/User/mcp.json',
    `${SUPPORT}/Code/User/mcp.json`,
    `${ROAMING}\\Code\\User\\mcp.json`,
  ],
  [
    'zed',
    '/home/me/.config/zed/settings.json',
    '/Users/me/.config/zed/settings.json',
    `${ROAMING}\\Zed\\settings.json`,
  ],
  [
    'goose',
    '/home/me/.config/goose/config.yaml',
    '/Users/me/.config/goose/config.yaml',
    `${ROAMING}\\Block\\goose\\config\\config.yaml`,
  ],
  [
    'cline',
    '/home/me/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
    `${SUPPORT}/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json`,
    `${ROAMING}\\Code\\User\\globalStorage\\saoudrizwan.claude-dev\\settings\\cline_mcp_settings.json`,
  ],
  [
    'roo',
    '/home/me/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json',
    `${SUPPORT}/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json`,
    `${ROAMING}\\Code\\User\\globalStorage\\rooveterinaryinc.roo-cline\\settings\\mcp_settings.json`,
  ],
  ...sameEverywhere({
    'claude-code': '.claude.json',
    cursor: '.cursor/mcp.json',
    windsurf: '.codeium/windsurf/mcp_config.json',
    devin: '.config/devin/mcp_config.json',
    kilo: '.config/kilo/kilo.jsonc',
    continue: '.continue/config.yaml',
    codex: '.codex/config.toml',
    gemini: '.gemini/settings.json',
    antigravity: '.gemini/config/mcp_config.json',
    opencode: '.config/opencode/opencode.jsonc',
    'amazon-q': '.aws/amazonq/cli-agents/*.json',
    kiro: '.kiro/settings/mcp.json',
    'lm-studio': '.lmstudio/mcp.json',
    junie: '.junie/mcp/mcp.json',
    warp: '.warp/.mcp.json',
    amp: '.config/amp/settings.jsonc',
    factory: '.factory/mcp.json',
    qwen: '.qwen/settings.json',
    crush: '.config/crush/crush.json',
    grok: '.grok/config.toml',
    kimi: '.kimi-code/mcp.json',
    'copilot-cli': '.copilot/mcp-config.json',
    augment: '.augment/settings.json',
    'rovo-dev': '.rovodev/mcp.json',
    mcporter: '.mcporter/mcporter.jsonc',
    inspector: '.mcp-inspector/mcp.json',
  }),
];

function sameEverywhere(files: Readonly<Record<string, string>>) {
  return Object.entries(files).map(
    ([client, file]) =>
      [client, `/home/me/${file}`, `/Users/me/${file}`, `${HOME}\\${file.replaceAll('/', '\\')}`] as const,
  );
}

describe('userFiles()', () => {
  for (const [client, linux, mac, win] of FIRST_FILES) {
    it(`of ${client} on all systems`, () => {
      assert.deepEqual(
        [LINUX, MAC, WIN].map((place) => filesOf(client, place)[0]),
        [linux, mac, win],
      );
    });
  }

  it('are known for every client; Visual Studio has them on Windows only, JetBrains nowhere', () => {
    const known = new Set([...FIRST_FILES.map(([client]) => client), 'visual-studio', 'jetbrains']);
    assert.deepEqual(
      CLIENTS.map(({ id }) => id).filter((id) => !known.has(id)),
      [],
    );
    assert.deepEqual(
      [LINUX, MAC, WIN].map((place) => filesOf('visual-studio', place)),
      [[], [], [`${HOME}\\.mcp.json`]],
    );
    assert.deepEqual(filesOf('jetbrains', MAC), []);
  });

  const overrides: ReadonlyArray<readonly [client: string, env: Record<string, string>, file: string]> = [
    ['claude-desktop', { XDG_CONFIG_HOME: '/xdg' }, '/xdg/Claude/claude_desktop_config.json'],
    ['claude-code', { CLAUDE_CONFIG_DIR: '/c' }, '/c/.claude.json'],
    ['vscode', { XDG_CONFIG_HOME: '/xdg' }, '/xdg/Code/User/mcp.json'],
    ['cline', { CLINE_DIR: '/c' }, '/c/data/settings/cline_mcp_settings.json'],
    ['cline', { CLINE_DATA_DIR: '/c' }, '/c/settings/cline_mcp_settings.json'],
    ['cline', { CLINE_MCP_SETTINGS_PATH: '/c/x.json' }, '/c/x.json'],
    ['zed', { XDG_CONFIG_HOME: '/xdg' }, '/xdg/zed/settings.json'],
    ['zed', { XDG_CONFIG_HOME: '/xdg', FLATPAK_XDG_CONFIG_HOME: '/flat' }, '/flat/zed/settings.json'],
    ['continue', { CONTINUE_GLOBAL_DIR: '/c' }, '/c/config.yaml'],
    ['codex', { CODEX_HOME: '/c' }, '/c/config.toml'],
    ['gemini', { GEMINI_CLI_SYSTEM_SETTINGS_PATH: '/g.json' }, '/g.json'],
    ['opencode', { OPENCODE_CONFIG: '/o/x.json' }, '/o/x.json'],
    ['opencode', { OPENCODE_CONFIG_DIR: '/o' }, '/o/opencode.json'],
    ['goose', { GOOSE_PATH_ROOT: '/g' }, '/g/config/config.yaml'],
    ['amp', { AMP_SETTINGS_FILE: '/a.json' }, '/a.json'],
    ['crush', { CRUSH_GLOBAL_CONFIG: '/c' }, '/c/crush.json'],
    ['grok', { GROK_HOME: '/g' }, '/g/config.toml'],
    ['kimi', { KIMI_CODE_HOME: '/k' }, '/k/mcp.json'],
    ['copilot-cli', { COPILOT_HOME: '/c' }, '/c/mcp-config.json'],
    ['copilot-cli', { XDG_CONFIG_HOME: '/xdg' }, '/xdg/mcp-config.json'],
    ['mcporter', { MCPORTER_CONFIG: '/m.json' }, '/m.json'],
    ['codex', { CODEX_HOME: 'relative' }, '/home/me/.codex/config.toml'],
  ];
  for (const [client, env, file] of overrides) {
    it(`of ${client} with ${JSON.stringify(env)}`, () => {
      assert.ok(filesOf(client, { ...LINUX, env }).includes(file), filesOf(client, { ...LINUX, env }).join('\n'));
    });
  }

  it('on Windows follow %APPDATA%', () => {
    const place: Place = { ...WIN, env: { APPDATA: 'D:\\Roaming' } };
    assert.deepEqual(filesOf('claude-desktop', place), ['D:\\Roaming\\Claude\\claude_desktop_config.json']);
  });

  it('of VS Code are those of its editions and profiles', () => {
    const folder = '/home/me/.config';
    assert.deepEqual(
      filesOf('vscode', LINUX),
      ['Code', 'Code - Insiders', 'VSCodium'].flatMap((edition) =>
        ['mcp.json', 'profiles/*/mcp.json', 'settings.json'].map((file) => `${folder}/${edition}/User/${file}`),
      ),
    );
  });
});
