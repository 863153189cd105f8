/** CONTRIBUTING's recipe for a new language, followed to the letter in a copy of the sources. */
import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { KernelUnderTest } from '../../src/inside/command/kernel-harness.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

it('a language that is added as CONTRIBUTING says runs', async () => {
  const copy = await mkdtemp(join(tmpdir(), 'sallyport-recipe-'));
  try {
    for (const path of ['src/languages', 'src/contracts', 'package.json']) {
      await cp(join(ROOT, path), join(copy, path), { recursive: true });
    }
    const contributing = await readFile(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
    const [, definition = ''] = /### Add a language[\s\S]*?```ts\n([\s\S]*?)```/.exec(contributing) ?? [];
    await writeFile(join(copy, 'src/languages/definitions/dash.ts'), definition);
    const file = join(copy, 'src/languages/registry.ts');
    const registry = (await readFile(file, 'utf8'))
      .replace(
        "import { d } from './definitions/d.ts';",
        "import { d } from './definitions/d.ts';\nimport { dash } from './definitions/dash.ts';",
      )
      .replace('export const COMMAND_LANGUAGES: readonly CommandLanguage[] = [', '$&dash,');
    await writeFile(file, registry);

    const { findLanguage } = await import(pathToFileURL(file).href);
    const { commandPlan } = await import(pathToFileURL(join(copy, 'src/languages/command-plan.ts')).href);
    const dash = findLanguage('almquist');
    assert.ok(dash?.interpreter === 'command');
    const code = 'echo "$0" "$@"; exit 3';
    const plan = commandPlan(dash, { code, files: [] }, 2 ** 29);
    await using kernel = new KernelUnderTest();
    const { stdout, exit } = await kernel.run({ plan, code, args: ['a b'] });
    assert.deepEqual({ stdout, exit }, { stdout: 'main.dash a b\n', exit: 3 });
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
});
