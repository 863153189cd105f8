import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { answerOf, type Connection, callRunCode, connect, metaOf } from '../support/client.ts';
import { sallyport } from '../support/command.ts';

describe('run_code without a language', () => {
  let connection: Connection;
  before(async () => {
    connection = await connect({ era: 'modern' });
  });
  after(() => connection[Symbol.asyncDispose]());

  const run = (input: Record<string, unknown>) => callRunCode(connection.client, { session: 'detect', ...input });

  const cases: ReadonlyArray<readonly [what: string, language: string, out: string, input: Record<string, unknown>]> = [
    ['a line that many languages have runs as Python', 'python', '42\n', { code: 'print(6*7)' }],
    ['auto means the same', 'python', '42\n', { code: 'print(6*7)', language: 'auto' }],
    ['a loop in Python', 'python', '0\n1\n', { code: 'for i in range(2):\n    print(i)' }],
    ['JavaScript', 'javascript', '3\n', { code: 'const xs = [1, 2];\nconsole.log(xs.reduce((a, b) => a + b));' }],
    ['TypeScript', 'typescript', '2\n', { code: 'const f = (s: string): number => s.length;\nconsole.log(f("ab"));' }],
    ['Bash', 'bash', 'a\nb\n', { code: 'for x in a b; do\n  echo "$x"\ndone' }],
    ['a fence', 'bash', '1\n', { code: '```sh\necho 1\n```' }],
    ['a #! line', 'bash', '1\n', { code: '#!/bin/sh\necho 1' }],
    ['a modeline', 'javascript', '5', { code: '2 + 3 // vim: ft=javascript' }],
    ['the named language, whatever the text says', 'bash', 'x\n', { code: '```python\necho x\n```', language: 'bash' }],
  ];
  for (const [what, language, out, input] of cases) {
    it(what, async () => {
      const result = await run(input);
      assert.equal(answerOf(result).out, out, JSON.stringify(result));
      assert.equal(metaOf(result).language, language);
    });
  }

  it('asks back when it is too unsure, and runs nothing', async () => {
    const answer = answerOf(await run({ code: 'puts "hi"' }));
    assert.equal(answer.failed, true);
    assert.match(JSON.stringify(answer), /Which language is this code in\? It could be .*(?:tcl|Tcl).*(?:ruby|Ruby)/);
  });
});

describe('sallyport detect', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sallyport-detect-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));
  const run = (args: readonly string[], stdin?: string) =>
    sallyport(['detect', ...args], { stateDir: join(folder, 'state'), ...(stdin === undefined ? {} : { stdin }) });

  it('says which language, how surely and why', async () => {
    await writeFile(join(folder, 'a.txt'), 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println(1) }');
    await writeFile(join(folder, 'b.py'), 'x');
    const { code, stdout } = await run([join(folder, 'a.txt'), join(folder, 'b.py')]);
    assert.equal(code, 0);
    assert.match(stdout, /a\.txt +go +\d+ % +text: .*package name/);
    assert.match(stdout, /b\.py +python +100 % +file name: b\.py/);
  });

  it('reads standard input, and ends with 1 when it is unsure', async () => {
    const { code, stdout } = await run(['--json', '-'], 'hello');
    assert.equal(code, 1);
    const [found] = JSON.parse(stdout) as { language: null; by: string; candidates: { confidence: number }[] }[];
    assert.equal(found?.language, null);
    assert.equal(found?.by, 'text');
    assert.equal(found?.candidates.length, 5);
  });

  it('refuses nothing to look at, and what cannot be read', async () => {
    assert.equal((await run([])).code, 125);
    assert.match((await run([join(folder, 'none')])).stderr, /Cannot read ".*none": ENOENT/);
  });
});
