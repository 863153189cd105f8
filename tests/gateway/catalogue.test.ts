/** What is known of servers that do not run, and how it stays true. */
import assert from 'node:assert/strict';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { failureOf, fixture, openGateway, until } from '../support/upstreams.ts';

const tools = () => fixture('tools', ['tools.mjs']);

describe('the catalogue', () => {
  it('is read in the background from servers that were never listed, which are then stopped', async () => {
    const servers = [tools(), fixture('paged', ['paged.mjs']), fixture('rubbish', ['raw.mjs', 'rubbish'])];
    await using gateway = await openGateway({ servers });
    const first = await gateway.search('echo');
    assert.deepEqual(
      first.notIndexed,
      servers.map(({ name }) => ({ server: name, why: 'its tools are being listed' })),
    );
    await gateway.settled();
    const { hits, notIndexed } = await gateway.search('gives back its text', { limit: 1 });
    assert.deepEqual([hits[0]?.tool.name, hits[0]?.tool.server, notIndexed], ['echo', 'tools', []]);
    assert.deepEqual(
      (await gateway.status()).map(({ name, state, tools: count }) => [name, state, count]),
      [
        ['tools', 'idle', 13],
        ['paged', 'idle', 250],
        ['rubbish', 'idle', 2],
      ],
    );
  });

  it('outlives the gateway, readable for its user alone', async () => {
    await using gateway = await openGateway({ servers: [tools()] });
    await gateway.tools('tools');
    await until(async () => (await catalogFiles(gateway.stateDir)).length === 1);
    const [file = ''] = await catalogFiles(gateway.stateDir);
    assert.equal((await stat(file)).mode & 0o777, 0o600);

    const { stateDir } = gateway;
    await using again = await openGateway({ servers: [tools()], stateDir });
    const { hits } = await again.search('add two numbers', { limit: 1 });
    const sum = hits[0]?.tool;
    assert.deepEqual([sum?.name, Object.keys(sum?.inputSchema?.properties ?? {})], ['add', ['a', 'b']]);
    assert.equal((await again.status())[0]?.state, 'idle');
  });

  it('is filled by several processes at once', async () => {
    await using one = await openGateway({ servers: [tools()] });
    const { stateDir } = one;
    await using other = await openGateway({ servers: [tools()], stateDir });
    // Both look and find nothing; then the one writes what the other is about to write.
    assert.equal((await other.status())[0]?.tools, undefined);
    await one.tools('tools');
    assert.deepEqual((await other.call('tools', 'echo', { text: 'x' })).value, { kind: 'text', text: 'x' });
  });

  it('ignores a file that is broken', async () => {
    await using gateway = await openGateway({ servers: [tools()] });
    await gateway.tools('tools');
    const [file = ''] = await catalogFiles(gateway.stateDir);
    for (const text of ['{"version":1,"tools":[{"na', '[]', '{"version":99,"tools":[]}', '']) {
      await writeFile(file, text);
      const { stateDir } = gateway;
      await using again = await openGateway({ servers: [tools()], stateDir });
      assert.equal((await again.tools('tools')).length, 13);
      assert.equal(JSON.parse(await readFile(file, 'utf8')).tools.length, 13);
    }
  });

  it('does without a disk', async () => {
    const stateDir = fileURLToPath(import.meta.url); // a file: nothing can be made in it
    await using gateway = await openGateway({ servers: [tools()], stateDir });
    await gateway.tools('tools');
    assert.equal((await gateway.search('echo', { limit: 1 })).hits[0]?.tool.inputSchema?.type, 'object');
  });

  for (const [era, args] of [
    ['2026', ['tools.mjs']],
    ['2025', ['tools.mjs', '--legacy']],
  ] as const) {
    it(`follows a server of ${era} that changes its tools`, async () => {
      await using gateway = await openGateway({ servers: [fixture('tools', args)] });
      await gateway.search('tools');
      await gateway.call('tools', 'echo', { text: '' });
      await gateway.call('tools', 'grow', { name: 'zebra_crossing' });
      await until(
        async () => (await gateway.search('zebra crossing', { limit: 1 })).hits[0]?.tool.name === 'zebra_crossing',
      );
      assert.deepEqual((await gateway.call('tools', 'zebra_crossing', {})).value, {
        kind: 'text',
        text: 'zebra_crossing',
      });
    });
  }

  it('finds a tool that came without a word', async () => {
    await using gateway = await openGateway({ servers: [fixture('tools', ['tools.mjs', '--legacy'])] });
    await gateway.call('tools', 'echo', { text: '' });
    await gateway.call('tools', 'grow', { name: 'late' });
    assert.deepEqual((await gateway.call('tools', 'late', {})).value, { kind: 'text', text: 'late' });
  });

  it("keeps to a client's own filter", async () => {
    const filtered = { ...tools(), entry: { ...tools().entry, toolFilter: { include: ['e*'], exclude: ['echo'] } } };
    await using gateway = await openGateway({ servers: [filtered] });
    assert.deepEqual(
      (await gateway.tools('tools')).map(({ name }) => name),
      ['environment'],
    );
    assert.equal((await failureOf(gateway.call('tools', 'echo', { text: '' }))).code, 'TOOL_UNKNOWN');
    assert.deepEqual(
      (await gateway.search('echo')).hits.map(({ tool }) => tool.name),
      [],
    );
  });
});

describe('search', () => {
  it('puts a tool that is named first, and leaves schemas out of a summary', async () => {
    await using gateway = await openGateway({ servers: [tools()] });
    await gateway.tools('tools');
    const { hits, unsure } = await gateway.search('slow', { limit: 1, detail: 'summary' });
    assert.deepEqual(
      [unsure, hits.map(({ tool }) => tool)],
      [false, [{ server: 'tools', name: 'slow', description: 'Waits, and tells how far it is' }]],
    );
  });

  it('says why a server is not in it', async () => {
    const servers = [tools(), fixture('bad', ['raw.mjs', 'exits'])];
    await using gateway = await openGateway({ servers });
    await gateway.search('echo');
    await gateway.settled();
    assert.deepEqual((await gateway.search('echo')).notIndexed, [
      {
        server: 'bad',
        why: 'Upstream "bad" ended at its start (exit code 3): Error: FIXTURE_TOKEN is not set | at somewhere.js:1',
      },
    ]);
  });

  it('names the nearest server when the one to search is unknown', async () => {
    await using gateway = await openGateway({ servers: [tools()] });
    assert.equal(
      (await failureOf(gateway.search('echo', { server: 'tool' }))).hint,
      'Did you mean "tools"? Servers: tools',
    );
  });
});

async function catalogFiles(stateDir: string): Promise<string[]> {
  const folder = join(stateDir, 'cache', 'catalog');
  return (await readdir(folder).catch(() => [])).map((name) => join(folder, name));
}
