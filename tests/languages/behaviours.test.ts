/** How programs of compiled and started languages are treated, whatever the language. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { answerOf, type Connection, callRunCode, connect, metaOf, type RunArguments } from '../support/client.ts';
import { testedLanguages } from './tested.ts';

const { ready } = testedLanguages();
const without = (...ids: string[]) => {
  const missing = ids.filter((id) => !ready.has(id));
  return missing.length > 0 ? `${missing.join(', ')} missing` : false;
};

let connection: Connection;
before(async () => {
  connection = await connect({ flags: ['--sandbox', 'bubblewrap', '--warm', 'off', '--compile-timeout', '4'] });
});
after(async () => await connection[Symbol.asyncDispose]());

const run = (input: Partial<RunArguments>) => callRunCode(connection.client, { session: 's', timeout: 30, ...input });
const C_CLOCK = '#include <stdio.h>\n#include "n.h"\nint main(void) { printf("%s %d\\n", __TIME__, N); }\n';

describe('a program that is started', () => {
  it('is refused when its language does not exist, with the nearest ones', async () => {
    const { out, failed } = answerOf(await run({ language: 'rubby', code: 'x' }));
    assert.ok(failed);
    assert.equal(
      out,
      'error: Unknown language "rubby"\nhint: Use one of: ruby (sallyport languages lists all); or leave "language" out',
    );
  });

  it('is refused when its runtime is not here, with the way to get it and what would do', async () => {
    const result = await run({ language: 'kit', code: 'function main() {}' });
    assert.equal(metaOf(result).error?.code, 'RUNTIME_MISSING');
    assert.equal(
      answerOf(result).out,
      'error: Kit is not installed here: there is no kitc behind the wall\nhint: Build Kit from kitlang.org; or use another language: c, rust, nim',
    );
  });

  it('is refused when its language is of another system', async () => {
    assert.equal(
      answerOf(await run({ language: 'vbs', code: 'WScript.Echo 1' })).out,
      'error: VBScript exists only on Windows; this is Linux\nhint: Use another language: powershell, python',
    );
  });

  it('ends by a signal with its name', { skip: without('c') }, async () => {
    const result = await run({ language: 'c', code: '#include <stdlib.h>\nint main(void) { abort(); }' });
    const { exitCode, signal } = metaOf(result);
    assert.deepEqual({ exitCode, signal }, { exitCode: 134, signal: 'SIGABRT' });
    assert.match(answerOf(result).notes, /exit code: 134 \(SIGABRT\)/);
  });

  it('tells a compile error apart from its own failure', { skip: without('c') }, async () => {
    const broken = await run({ language: 'c', code: 'int main(void) {\n  return x;\n}\n' });
    assert.equal(metaOf(broken).error?.code, 'COMPILE_FAILED');
    assert.match(metaOf(broken).error?.message ?? '', /^line 2, column 10: ‘x’ undeclared/);
    assert.match(answerOf(broken).notes, /^stderr:\nmain\.c: In function/);
    const failing = await run({ language: 'c', code: 'int main(void) { return 1; }' });
    assert.equal(metaOf(failing).error, null);
    assert.equal(metaOf(failing).exitCode, 1);
  });

  it('is compiled once, and again when a file that it includes has changed', { skip: without('c') }, async () => {
    const first = answerOf(await run({ language: 'c', code: C_CLOCK, files: { 'n.h': '#define N 1\n' } })).out;
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    assert.equal(answerOf(await run({ language: 'c', code: C_CLOCK })).out, first);
    const changed = answerOf(await run({ language: 'c', code: C_CLOCK, files: { 'n.h': '#define N 2\n' } })).out;
    assert.match(changed, / 2\n$/);
    assert.notEqual(changed.slice(0, 8), first.slice(0, 8));
  });

  it('leaves nothing of itself in the workspace, and never touches a file of the user', {
    skip: without('c', 'ruby'),
  }, async () => {
    const files = { 'main.rb': 'puts :mine\n' };
    const result = await run({ language: 'ruby', code: 'puts File.read("main.rb"), __FILE__', session: 'own', files });
    assert.equal(answerOf(result).out, 'puts :mine\nmain2.rb\n');
    const listing = await run({ language: 'bash', code: 'ls; cat main.rb', session: 'own' });
    assert.equal(answerOf(listing).out, 'main.rb\nputs :mine\n');
  });

  it('has a clock of its own for compiling', { skip: without('cpp') }, async () => {
    const result = await run({ language: 'cpp', code: COMPILER_BOMB });
    assert.ok(['timeout', 'memory'].includes(metaOf(result).stop ?? ''), answerOf(result).notes);
    assert.match(answerOf(result).notes, /hint: it was stopped while compiling; nothing of it ran/);
    assert.equal(answerOf(await run({ language: 'bash', code: 'ls main*; echo on' })).out, 'on\n');
  });

  it('keeps what live languages know when it is stopped', { skip: without('perl') }, async () => {
    await run({ language: 'python', code: 'x = 41', session: 'mixed' });
    const stopped = await run({
      language: 'perl',
      code: '$SIG{INT} = "IGNORE"; 1 while 1;',
      timeout: 1,
      session: 'mixed',
    });
    assert.equal(metaOf(stopped).stop, 'timeout');
    assert.equal(answerOf(await run({ language: 'python', code: 'x + 1', session: 'mixed' })).out, '42');
  });

  it('can be checked from within a program', { skip: without('c', 'ruby') }, async () => {
    const code = 'v = mcp.check("int main(void) {\\n  return x;\\n}", "c")\nprint(v["ok"], v["line"], v["column"])';
    assert.equal(answerOf(await run({ language: 'python', code })).out, 'False 2 10\n');
    const js = 'const v = await mcp.check("puts 1", "ruby"); console.log(v.ok, v.language)';
    assert.equal(answerOf(await run({ language: 'javascript', code: js })).out, 'true ruby\n');
  });

  it('is refused by the embedded wall with a clear sentence', async () => {
    await using embedded = await connect({ flags: ['--sandbox', 'embedded', '--warm', 'off'] });
    const { out } = answerOf(await callRunCode(embedded.client, { language: 'c', code: 'int main() {}' }));
    assert.match(out, /embedded: has no languages besides Python, JavaScript, TypeScript and Bash/);
  });
});

/** Instantiations without an end in sight. */
const COMPILER_BOMB = `template <int N, long M> struct F { static constexpr long v = F<N - 1, M * 2>::v + F<N - 1, M * 2 + 1>::v; };
template <long M> struct F<0, M> { static constexpr long v = M; };
int main() { return F<26, 1>::v; }
`;
