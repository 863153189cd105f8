import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { loadSettings } from './settings.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-settings-'));
});
after(() => rm(folder, { recursive: true }));

async function configFile(text: string): Promise<string> {
  const path = join(folder, 'config.json');
  await writeFile(path, text);
  return path;
}

describe('loadSettings()', () => {
  it('takes the flag over SALLYPORT_, over MCP_BRIDGE_, over the config file', async () => {
    const config = await configFile('{"limits": {"timeout": "1s", "memory": "64m", "pids": 7, "cpus": 0.5}}');
    const env = {
      SALLYPORT_TIMEOUT: '2s',
      SALLYPORT_MEMORY: '128m',
      MCP_BRIDGE_TIMEOUT: '3',
      MCP_BRIDGE_MEMORY: '256m',
      MCP_BRIDGE_PIDS: '9',
    };
    const { limits } = await loadSettings({ config, timeout: '4s' }, env);
    assert.deepEqual(
      [limits.timeoutMs, limits.memoryBytes, limits.processes, limits.cpus],
      [4_000, 128 * 1024 ** 2, 9, 0.5],
    );
  });

  it("understands the older bridge's variables and value forms", async () => {
    const settings = await loadSettings(
      { config: await configFile('{}') },
      {
        MCP_BRIDGE_RUNTIME: 'embedded',
        MCP_BRIDGE_TIMEOUT: '45s',
        MCP_BRIDGE_MAX_TIMEOUT: '90',
        MCP_BRIDGE_MEMORY: '1g',
        MCP_BRIDGE_RUNTIME_IDLE_TIMEOUT: '300',
        MCP_BRIDGE_STATE_DIR: '/somewhere',
        MCP_BRIDGE_OUTPUT_MODE: 'toon',
        MCP_BRIDGE_LOG_LEVEL: 'DEBUG',
      },
    );
    assert.deepEqual(
      [
        settings.sandbox,
        settings.limits.timeoutMs,
        settings.limits.timeoutMsMax,
        settings.limits.memoryBytes,
        settings.limits.idleMs,
      ],
      ['embedded', 45_000, 90_000, 1024 ** 3, 300_000],
    );
    assert.deepEqual([settings.stateDir, settings.outputMode, settings.logLevel], ['/somewhere', 'toon', 'debug']);
  });

  it('lowers the default timeout under a lower ceiling', async () => {
    const { limits } = await loadSettings({ config: await configFile('{}'), 'max-timeout': '5s' }, {});
    assert.deepEqual([limits.timeoutMs, limits.timeoutMsMax], [5_000, 5_000]);
  });

  it('takes an image for a wish for containers', async () => {
    assert.equal(
      (await loadSettings({ config: await configFile('{}') }, { MCP_BRIDGE_IMAGE: 'python:3.14-slim' })).sandbox,
      'podman',
    );
  });

  const refused: ReadonlyArray<readonly [what: string, config: string, env: Record<string, string>, message: RegExp]> =
    [
      [
        'a bad variable by its name',
        '{}',
        { MCP_BRIDGE_MEMORY: 'lots' },
        /^MCP_BRIDGE_MEMORY must be a size above zero, such as 512m, 1g or 64k, and not "lots"$/,
      ],
      ['a negative time', '{}', { SALLYPORT_TIMEOUT: '-5' }, /^SALLYPORT_TIMEOUT must be a time above zero/],
      ['an unknown wall', '{}', { SALLYPORT_SANDBOX: 'chroot' }, /^SALLYPORT_SANDBOX must be one of: auto, bubblewrap/],
      [
        'a bad limit in the file',
        '{"limits": {"memory": "x"}}',
        {},
        /^limits\.memory in ".*config\.json" must be a size/,
      ],
      ['an unknown key', '{"limit": {}}', {}, /has a wrong value: Unrecognized key: "limit"$/],
      ['an unknown limit', '{"limits": {"ram": 1}}', {}, /has a wrong value: limits/],
      [
        'a file that is not JSON, with line and column',
        '{\n  "limits": {,}\n}',
        {},
        /is not JSON: .*\(line 2, column 14\)$/,
      ],
    ];
  for (const [what, config, env, message] of refused) {
    it(`names ${what}`, async () => {
      await assert.rejects(loadSettings({ config: await configFile(config) }, env), {
        code: 'INVALID_CONFIG',
        message,
      });
    });
  }

  it('wants a config file that was named, and not the default one', async () => {
    await assert.rejects(loadSettings({ config: join(folder, 'none.json') }, {}), { code: 'INVALID_CONFIG' });
    await loadSettings({}, { XDG_CONFIG_HOME: join(folder, 'none') });
  });
});
