import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { answerOf, type Connection, callRunCode, connect, metaOf } from '../support/client.ts';

const cases: ReadonlyArray<readonly [what: string, input: unknown, text: RegExp]> = [
  ['missing code', {}, /^error: "code" is missing or is not a string\nhint: Send the program as a string in "code"$/],
  [
    'an unknown field',
    { code: '1', lang: 'python' },
    /^error: Unknown field "lang"\nhint: Use only: code, language, session, timeout, args, stdin, files$/,
  ],
  ['a wrong type', { code: '1', args: 'x' }, /^error: "args" is wrong: .*\nhint: Send a list of strings/],
  [
    'a negative timeout',
    { code: '1', timeout: -3 },
    /^error: "timeout" must be above 0 and at most 600 seconds, and not -3\nhint: /,
  ],
  ['a huge timeout', { code: '1', timeout: 1e6 }, /^error: "timeout" must be above 0 and at most 600 seconds/],
  [
    'an absolute path',
    { code: '1', files: { '/etc/cron.d/x': 'x' } },
    /^error: "files" has the path "\/etc\/cron\.d\/x", which does not stay inside \/workspace\nhint: Send a relative path/,
  ],
  ['a path with ..', { code: '1', files: { '../x': 'x' } }, /^error: "files" has the path "\.\.\/x"/],
  [
    '10 MB of code',
    { code: `# ${'x'.repeat(10_000_000)}` },
    /^error: "code" has 10000002 bytes; at most 1048576 are allowed\nhint: Put data into "files"/,
  ],
  ['a session of odd characters', { code: '1', session: 'a b' }, /^error: "session" must be 1 to 64 letters/],
  ['an unknown language', { code: '1', language: 'klingon' }, /^error: Unknown language "klingon"\nhint: Use one of: /],
  [
    'empty code with nothing to pick up',
    { code: '  ', session: 'empty' },
    /^error: The code is empty, and this session has no run that is going on or unread\nhint: /,
  ],
];

describe('bad input', () => {
  let connection: Connection;
  before(async () => {
    connection = await connect();
  });
  after(() => connection[Symbol.asyncDispose]());

  for (const [what, input, text] of cases) {
    it(`answers ${what} with what to send instead`, async () => {
      const result = await callRunCode(connection.client, input);
      assert.match(answerOf(result).out, text);
      assert.equal(answerOf(result).failed, true);
      assert.match(metaOf(result).error?.code ?? '', /^(INVALID_INPUT|LANGUAGE_UNKNOWN|NOTHING_TO_PICK_UP)$/);
    });
  }

  it('refuses a file that would be written through a link, and writes nothing outside', async () => {
    await callRunCode(connection.client, {
      session: 'link',
      language: 'bash',
      code: 'ln -s /tmp out; ln -s /etc/hosts hosts',
    });
    for (const path of ['out/x', 'hosts']) {
      const result = await callRunCode(connection.client, {
        session: 'link',
        language: 'bash',
        code: 'echo ran',
        files: { [path]: 'x' },
      });
      assert.match(answerOf(result).out, /^error: ".*" leads through a link/);
    }
  });

  it('answers an unknown tool with a protocol error', async () => {
    await assert.rejects(connection.client.callTool({ name: 'execute', arguments: {} }), { code: -32602 });
  });

  it('goes on working after all of that', async () => {
    assert.equal(
      answerOf(await callRunCode(connection.client, { code: 'print("ok")', language: 'python' })).out,
      'ok\n',
    );
  });
});
