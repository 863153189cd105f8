import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { connect, type Era } from '../support/client.ts';
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

  it('has the same bytes at every start', async () => {
    const [first, second] = [
      await rawExchange('legacy', 'tools/list', {}),
      await rawExchange('legacy', 'tools/list', {}),
    ];
    assert.equal(JSON.stringify(first), JSON.stringify(second));
  });
});
