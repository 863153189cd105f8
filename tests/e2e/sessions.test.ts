import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerOf, callRunCode, connect, metaOf } from '../support/client.ts';
import { sallyport } from '../support/command.ts';

const python = (code: string, session?: string) => ({ code, language: 'python', ...(session ? { session } : {}) });

describe('sessions', () => {
  it('without a name are one per server process, and go by "default" too', async () => {
    await using connection = await connect();
    await callRunCode(connection.client, python('x = 1'));
    assert.equal(answerOf(await callRunCode(connection.client, python('x'))).out, '1');
    assert.equal(answerOf(await callRunCode(connection.client, python('x', 'default'))).out, '1');
    assert.equal(metaOf(await callRunCode(connection.client, python('x'))).session, 'default');
  });

  it('do not see each other', async () => {
    await using connection = await connect();
    await callRunCode(connection.client, python('x = 1\nopen("f", "w").close()\nopen("/tmp/t", "w").close()', 'a'));
    const other = await callRunCode(
      connection.client,
      python('import os\n("x" in globals(), os.listdir("."), os.path.exists("/tmp/t"))', 'b'),
    );
    assert.equal(answerOf(other).out, '(False, [], False)');
  });

  it('run in parallel, and in order within one', async () => {
    await using connection = await connect();
    await Promise.all(['a', 'b', 'c'].map((name) => callRunCode(connection.client, python('log = []', name))));
    const begun = performance.now();
    const slow = ['a', 'b', 'c'].map((name) =>
      callRunCode(connection.client, python('import time; time.sleep(0.5); log.append(1)', name)),
    );
    const behind = ['a', 'b', 'c'].map((name) => callRunCode(connection.client, python('log.append(2); log', name)));
    const answers = await Promise.all(behind);
    await Promise.all(slow);
    assert.deepEqual(
      answers.map((answer) => answerOf(answer).out),
      ['[1, 2]', '[1, 2]', '[1, 2]'],
    );
    assert.ok(performance.now() - begun < 1_400, 'three half seconds at the same time');
  });

  it('with a name keep their files when the server is gone, and start with new variables', async () => {
    const stateDir = await mkdtemp(join(tmpdir(), 'sallyport-named-'));
    {
      await using connection = await connect({ stateDir });
      await callRunCode(connection.client, python('x = 1\nopen("f", "w").write("kept")', 'work'));
    }
    await using connection = await connect({ stateDir });
    assert.equal(
      answerOf(await callRunCode(connection.client, python('print(open("f").read(), "x" in globals())', 'work'))).out,
      'kept False\n',
    );
    await rm(stateDir, { recursive: true, force: true });
  });

  it('with a name belong to one server at a time', async () => {
    await using first = await connect();
    await using second = await connect({ stateDir: first.stateDir });
    await callRunCode(first.client, python('x = 1', 'work'));
    const refused = await callRunCode(second.client, python('x', 'work'));
    assert.match(answerOf(refused).out, /^error: Session "work" is held by process \d+ since .*\nhint: Close it there/);
    assert.equal(metaOf(refused).error?.code, 'SESSION_HELD');
    await callRunCode(first.client, python('mcp.session.close()', 'work'));
    await sleep(300);
    assert.equal(answerOf(await callRunCode(second.client, python('"x" in globals()', 'work'))).out, 'False');
  });

  it('are listed, reset and closed from the command line', async () => {
    await using connection = await connect();
    const cli = (...args: string[]) => sallyport(['sessions', ...args], { stateDir: connection.stateDir });
    await callRunCode(connection.client, python('x = 1', 'work'));
    const rows = JSON.parse((await cli('--json')).stdout) as Array<{
      name: string;
      state: string;
      interpreters: string[];
    }>;
    assert.deepEqual(
      rows.map(({ name, state, interpreters }) => ({ name, state, interpreters })),
      [{ name: 'work', state: 'idle', interpreters: ['python'] }],
    );
    assert.match((await cli()).stdout, /^NAME +STATE +LIVE/);
    assert.equal((await cli('reset', 'work')).code, 0);
    assert.deepEqual(answerOf(await callRunCode(connection.client, python('"x" in globals()', 'work'))), {
      out: 'False',
      notes: 'session: reset, variables cleared',
      images: [],
      failed: false,
    });
    assert.equal((await cli('close', 'work')).code, 0);
    assert.match((await cli()).stdout, /^work +on disk/m);
    assert.equal((await cli('close', 'none')).code, 125);
  });

  it('are listed and closed from code', async () => {
    await using connection = await connect();
    await callRunCode(connection.client, python('1', 'other'));
    assert.equal(
      answerOf(await callRunCode(connection.client, python('sorted(s["name"] for s in mcp.session.list())'))).out,
      "['default', 'other']",
    );
    await callRunCode(connection.client, python('mcp.session.close("other")'));
    assert.equal(
      answerOf(
        await callRunCode(
          connection.client,
          python('[s["state"] for s in mcp.session.list() if s["name"] == "other"]'),
        ),
      ).out,
      "['on disk']",
    );
  });

  it('end when they are idle, and say so when they are used again', async () => {
    await using connection = await connect({ flags: ['--idle-timeout', '400ms'] });
    await callRunCode(connection.client, python('x = 1', 'work'));
    await sleep(1_200);
    assert.deepEqual(answerOf(await callRunCode(connection.client, python('"x" in globals()', 'work'))), {
      out: 'False',
      notes: 'session: ended after being idle, variables lost',
      images: [],
      failed: false,
    });
  });

  it('are capped: the default one makes room, then the error names what to close', async () => {
    await using connection = await connect({ flags: ['--max-sessions', '2'] });
    await callRunCode(connection.client, python('x = 1'));
    await callRunCode(connection.client, python('1', 'a'));
    await callRunCode(connection.client, python('1', 'b'));
    const full = await callRunCode(connection.client, python('1', 'c'));
    assert.match(
      answerOf(full).out,
      /^error: No new session: all places are taken.*\nhint: Try again in a moment, or close one that is not needed with mcp\.session\.close\(name\): a, b/,
    );
    assert.equal(metaOf(full).error?.code, 'BUSY');
  });

  it('leave no home without a name behind', async () => {
    const stateDir = await mkdtemp(join(tmpdir(), 'sallyport-left-'));
    {
      await using connection = await connect({ stateDir });
      await callRunCode(connection.client, python('open("f", "w").close()'));
    }
    await sleep(300);
    assert.deepEqual(await readdir(join(stateDir, 'sessions')), []);
    await rm(stateDir, { recursive: true, force: true });
  });
});
