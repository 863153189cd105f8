import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { instructionsFor } from '#protocol/tool';
import { connect, type Era } from '../support/client.ts';
import { sallyport } from '../support/command.ts';
import { rawExchange } from '../support/raw.ts';

describe('the definition that every conversation pays for', () => {
  for (const era of ['legacy', 'modern'] satisfies Era[]) {
    it(`is one tool of at most 200 tokens, whole result, ${era} protocol`, async () => {
      const result = await rawExchange(era, 'tools/list', {});
      assert.deepEqual(
        (result as { tools: Array<{ name: string }> }).tools.map((tool) => tool.name),
        ['run_code'],
      );
      const tokens = encode(JSON.stringify(result)).length;
      assert.ok(tokens <= 200, `${tokens} tokens`);
    });

    it(`has instructions of at most 250 tokens and 2,047 characters, ${era} protocol`, async () => {
      await using connection = await connect({ era });
      const instructions = connection.client.getInstructions() ?? '';
      assert.ok(instructions.length > 100 && instructions.length < 2_048, `${instructions.length} characters`);
      const tokens = encode(instructions).length;
      assert.ok(tokens <= 250, `${tokens} tokens`);
    });
  }

  it('has the same bytes with 0, 25 and 300 servers, known or not, and names what fits', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sallyport-definition-'));
    try {
      const [none, few, many] = [0, 25, 300].map((count) => definitionWith(count, folder));
      const [empty, ...others] = [...(await none)!, ...(await few)!, ...(await many)!];
      for (const { tools, instructions } of others) {
        assert.equal(tools, empty?.tools);
        assert.ok(encode(instructions).length <= 250, `${encode(instructions).length} tokens`);
      }
      assert.doesNotMatch(empty?.instructions ?? '', /Servers:/);
      assert.match((await few)?.[1]?.instructions ?? '', /Servers: server-0, server-1, .*server-9.*\.$/);
      assert.match((await many)?.[0]?.instructions ?? '', /Servers: server-0, .* and \d+ more\.$/);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('keeps to its length whatever the servers are called', () => {
    const word = (length: number, letters: string) =>
      Array.from({ length }, (_, index) => letters[(index * 7 + length) % letters.length]).join('');
    for (const letters of [
      'etaoinshrdlu',
      'xqzjvkXQZJ',
      '0123456789',
      '-_.@/#',
      'äöüßéèñ',
      '漢字仮名交',
      '🙂🚀🎉',
      'aB3-x_9Z',
    ]) {
      const names = Array.from({ length: 200 }, (_, index) => word(1 + (index % 45), letters));
      const text = instructionsFor(names);
      assert.ok(encode(text).length <= 250 && text.length < 2_048, `${letters}: ${encode(text).length} tokens`);
    }
  });

  it('has the same bytes at every start', async () => {
    const [first, second] = [
      await rawExchange('legacy', 'tools/list', {}),
      await rawExchange('legacy', 'tools/list', {}),
    ];
    assert.equal(JSON.stringify(first), JSON.stringify(second));
  });
});

/** At the first start, and at one that finds the names kept. */
async function definitionWith(count: number, folder: string) {
  const config = join(folder, `${count}.json`);
  const names = Array.from({ length: count }, (_, index) => `server-${index}`);
  await writeFile(
    config,
    JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, { command: name }])) }),
  );
  const stateDir = join(folder, `state-${count}`);
  const seen: Array<{ tools: string; instructions: string }> = [];
  for (const start of count === 25 ? ['first', 'second'] : ['second']) {
    // A first start does not wait for names that take long to find.
    if (start === 'second') await sallyport(['servers', '--config', config], { stateDir, env: { HOME: folder } });
    await using connection = await connect({ stateDir, flags: ['--config', config], env: { HOME: folder } });
    const { tools } = await connection.client.listTools();
    seen.push({ tools: JSON.stringify(tools), instructions: connection.client.getInstructions() ?? '' });
  }
  return seen;
}
