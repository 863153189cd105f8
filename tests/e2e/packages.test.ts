/** Packages that programs declare, from the real registries, over a real client. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { answerOf, type Connection, callRunCode, connect } from '../support/client.ts';
import { availableWalls } from '../support/walls.ts';

/** What the tools need to reach the registries from here. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      /^(?:PIP_|UV_|NPM_CONFIG_|HTTPS?_PROXY|NO_PROXY|SSL_CERT_|NODE_EXTRA_CA)/i.test(entry[0]) &&
      entry[1] !== undefined,
  ),
);
const skip = (await availableWalls()).includes('bubblewrap') ? false : 'no wall here can show packages';
const SIX = '# /// script\n# dependencies = ["six==1.16.0"]\n# ///\nimport six\nprint(six.__version__, six.__file__)';
const SIX_OUT = '1.16.0 /run/sallyport/packages/python/six.py\n';

describe('packages that may be installed', { skip }, () => {
  let connection: Connection;
  before(async () => {
    connection = await connect({ env, flags: ['--sandbox', 'bubblewrap', '--packages', 'allow'] });
  });
  after(() => connection[Symbol.asyncDispose]());
  const run = async (input: Record<string, unknown>) => answerOf(await callRunCode(connection.client, input));

  it('are there for two runs that ask at once, installed once, and for child processes', async () => {
    const answers = await Promise.all(['one', 'two'].map((session) => run({ code: SIX, language: 'python', session })));
    assert.deepEqual(
      answers.map(({ out }) => out),
      [SIX_OUT, SIX_OUT],
      JSON.stringify(answers),
    );
    assert.equal((await readdir(join(connection.stateDir, 'packages'))).length, 1);
    const child = await run({
      code: 'python3 -c "import six; print(six.__version__)"',
      language: 'bash',
      session: 'one',
    });
    assert.equal(child.out, '1.16.0\n', JSON.stringify(child));
  });

  it('cannot be changed by the program', async () => {
    const code = 'open("/run/sallyport/packages/python/six.py", "w")';
    const { failed, notes } = await run({ code, language: 'python', session: 'one' });
    assert.equal(failed, true);
    assert.match(notes, /Read-only file system|Permission denied/);
  });

  it('add up in a session that is already live', async () => {
    const first = await run({
      code: 'try:\n    import colorama\nexcept ImportError:\n    print("none")',
      language: 'python',
      session: 'one',
    });
    const code = '# requirements: colorama==0.4.6\nimport colorama, six\nprint(colorama.__version__, six.__version__)';
    const { out } = await run({ code, language: 'python', session: 'one' });
    assert.equal(out, '0.4.6 1.16.0\n', JSON.stringify(first));
  });

  it('come from npm for JavaScript and TypeScript, by specifier and by bare name', async () => {
    const code = "import isNumber from 'npm:is-number@7.0.0';\nconst n: number = 5;\nconsole.log(isNumber(n));";
    assert.equal((await run({ code, language: 'typescript', session: 'js' })).out, 'true\n');
    const bare = "const isOdd = require('is-odd');\nconsole.log(isOdd(3));";
    assert.equal((await run({ code: bare, language: 'javascript', session: 'js' })).out, 'true\n');
  });

  it('are refused with a reason when they do not exist or are no packages', async () => {
    const cases: ReadonlyArray<readonly [code: string, language: string, reason: RegExp]> = [
      ['# requirements: sallyport-no-such-package-zz', 'python', /could not be installed from pypi: .*[Nn]o matching/],
      ["import 'npm:sallyport-no-such-package-zz'", 'javascript', /could not be installed from npm: .*404/],
      ['# /// script\n# dependencies = ["--index-url=http://127.0.0.1"]\n# ///', 'python', /is no package/],
      ['# /// script\n# dependencies = [\n# ///', 'python', /is no TOML/],
      ["import 'npm:x@file:/etc'", 'javascript', /is no package/],
    ];
    for (const [code, language, reason] of cases) {
      const answer = await run({ code, language, session: 'bad' });
      assert.equal(answer.failed, true);
      assert.match(JSON.stringify(answer), reason);
    }
  });

  it('need no waiting for a caller that has gone', async () => {
    const cancel = new AbortController();
    const call = connection.client.callTool(
      { name: 'run_code', arguments: { code: '# requirements: numpy==1.26.4', language: 'python', session: 'gone' } },
      { signal: cancel.signal },
    );
    setTimeout(() => cancel.abort(), 300);
    await assert.rejects(call);
    assert.equal((await run({ code: 'print(1)', language: 'python', session: 'gone' })).out, '1\n');
  });
});

describe('packages that may not be installed', { skip }, () => {
  it('are left out, and the answer says what a person can do', async () => {
    await using connection = await connect({ env, flags: ['--sandbox', 'bubblewrap', '--packages', 'off'] });
    const { notes, failed } = answerOf(
      await callRunCode(connection.client, { code: 'import no_such_module', language: 'python' }),
    );
    assert.equal(failed, true);
    assert.match(
      notes,
      /hint: no_such_module is not installed; to ask for it, put this at the top:\n# \/\/\/ script\n/,
    );
    assert.match(notes, /a person can allow installs with --packages allow/);
    assert.ok(!(await readdir(connection.stateDir)).includes('packages'));
  });

  for (const era of ['legacy', 'modern'] as const)
    it(`are asked about where a person can be asked (${era} protocol), and a no is a no`, async () => {
      const asked: string[] = [];
      let decision = 'deny';
      await using connection = await connect({
        era,
        env,
        flags: ['--sandbox', 'bubblewrap', '--packages', 'ask'],
        capabilities: { elicitation: { form: {} } },
        prepare: (client) =>
          client.setRequestHandler('elicitation/create', async ({ params }) => {
            asked.push(String(params.message));
            return { action: 'accept', content: { decision } };
          }),
      });
      const denied = answerOf(await callRunCode(connection.client, { code: SIX, language: 'python', session: 'ask' }));
      assert.equal(denied.failed, true);
      assert.match(JSON.stringify(denied), /six==1\.16\.0 may not be installed/);
      decision = 'session';
      const allowed = answerOf(await callRunCode(connection.client, { code: SIX, language: 'python', session: 'ask' }));
      assert.equal(allowed.out, SIX_OUT, JSON.stringify(allowed));
      assert.equal(asked.length, 2);
      assert.match(asked[0] ?? '', /packages\.install .*six==1\.16\.0/);
    });
});
