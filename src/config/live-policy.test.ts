import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { livePolicy } from './live-policy.ts';

it('livePolicy() follows the file, and keeps its rules while the file is broken', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-policy-'));
  const file = join(folder, 'config.json');
  const told: string[] = [];
  const rules = livePolicy(file, [], (problem) => told.push(problem));
  const until = async (expected: unknown) => {
    for (let tries = 0; tries < 200; tries += 1) {
      if (JSON.stringify(await rules()) === JSON.stringify(expected)) return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    assert.deepEqual(await rules(), expected);
  };
  try {
    await until([]);
    await writeFile(file, '{"policy":[{"do":"deny"}]}');
    await until([{ do: 'deny' }]);
    await writeFile(file, '{"policy":[{"do":"maybe"}]}');
    for (let tries = 0; tries < 200 && told.length === 0; tries += 1) {
      await until([{ do: 'deny' }]);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    assert.match(told.join(), /line 1, column \d+, has a wrong value: policy\.0\.do/);
    await rm(file);
    await until([]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
