import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallToolResult, Progress } from '@modelcontextprotocol/client';
import { answerOf, type Connection, callRunCode, connect, type Era, metaOf } from '../support/client.ts';
import { processesMarked } from '../support/processes.ts';
import { openRaw, requestLine, startRaw } from '../support/raw.ts';
import { availableWalls } from '../support/walls.ts';

for (const wall of await availableWalls()) {
  for (const era of ['legacy', 'modern'] satisfies Era[]) {
    describe(`a run that takes its time, behind ${wall}, ${era} protocol`, () => {
      let connection: Connection;
      before(async () => {
        connection = await connect({ era, flags: ['--sandbox', wall, '--answer-after', '1s'] });
        // The clock of an answer begins with the call; starting interpreters is not what is looked at here.
        for (const session of ['progress', 'early', 'interrupt', 'queue', 'cancel']) await start(connection, session);
      });
      after(() => connection[Symbol.asyncDispose]());

      it('tells its output as progress while it goes on', async () => {
        const seen: Progress[] = [];
        const code = 'import time\nfor i in range(3):\n    print("tick", i, flush=True)\n    time.sleep(0.3)';
        const result = (await connection.client.callTool(
          { name: 'run_code', arguments: { code, language: 'python', session: 'progress' } },
          { onprogress: (progress) => seen.push(progress) },
        )) as CallToolResult;
        const told = seen.map((progress) => progress.message).join('');
        assert.equal(answerOf(result).out.startsWith('tick 0\n'), true);
        assert.match(told, /^tick 0\n/);
        assert.deepEqual(
          seen.map((progress) => progress.progress),
          seen.map((_, index) => index + 1),
        );
      });

      it('answers early, is waited for with empty code, and shows everything once', async () => {
        const session = 'early';
        const first = await callRunCode(connection.client, {
          session,
          language: 'python',
          code: 'import time\nprint("one", flush=True)\ntime.sleep(1.6)\nprint("two")\n42',
          timeout: 30,
        });
        assert.equal(answerOf(first).out, 'one\n');
        assert.match(answerOf(first).notes, /^running: /);
        assert.equal(answerOf(first).failed, false);
        const rest = await callRunCode(connection.client, { session, code: '', timeout: 20 });
        assert.deepEqual(answerOf(rest), { out: 'two\n42', notes: '', images: [], failed: false });
        assert.equal(metaOf(rest).runId, metaOf(first).runId);
        const none = await callRunCode(connection.client, { session, code: '' });
        assert.equal(answerOf(none).failed, true);
        assert.equal(metaOf(none).error?.code, 'NOTHING_TO_PICK_UP');
      });

      it('is interrupted by empty code with timeout 0, and keeps its state', async () => {
        const session = 'interrupt';
        await callRunCode(connection.client, {
          session,
          language: 'python',
          code: 'x = 1\nimport time\nwhile True: time.sleep(0.05)',
          timeout: 60,
        });
        const stopped = await callRunCode(connection.client, { session, code: '', timeout: 0 });
        assert.match(answerOf(stopped).notes, /stopped: cancelled/);
        assert.equal(
          answerOf(await callRunCode(connection.client, { session, language: 'python', code: 'x' })).out,
          '1',
        );
      });

      it('queues new code behind it', async () => {
        const session = 'queue';
        await callRunCode(connection.client, {
          session,
          language: 'python',
          code: 'import time\ntime.sleep(1.3)\norder = ["first"]',
          timeout: 30,
        });
        const second = await callRunCode(connection.client, {
          session,
          language: 'python',
          code: 'order.append("second"); order',
        });
        assert.equal(answerOf(second).out, "['first', 'second']");
      });

      it('is stopped by a cancellation, which leaves the session usable', async () => {
        const session = 'cancel';
        const controller = new AbortController();
        await callRunCode(connection.client, { session, language: 'python', code: 'kept = 1' });
        const call = connection.client.callTool(
          { name: 'run_code', arguments: { session, language: 'python', code: 'while True: pass' } },
          { signal: controller.signal },
        );
        setTimeout(() => controller.abort(), 200);
        await assert.rejects(call);
        const begun = performance.now();
        const next = await callRunCode(connection.client, { session, language: 'python', code: 'kept' });
        assert.equal(answerOf(next).out, '1');
        assert.ok(performance.now() - begun < 1_000);
      });

      it('says with the next answer what a cancellation cost', async () => {
        const session = 'cancel';
        const stubborn = {
          python: 'import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass',
          javascript: 'for (;;);',
        };
        const language = wall === 'embedded' ? 'javascript' : 'python';
        const controller = new AbortController();
        await callRunCode(connection.client, { session, language, code: 'kept = 1' });
        const call = connection.client.callTool(
          { name: 'run_code', arguments: { session, language, code: stubborn[language] } },
          { signal: controller.signal },
        );
        setTimeout(() => controller.abort(), 300);
        await assert.rejects(call);
        const notesOf = async () =>
          answerOf(await callRunCode(connection.client, { session, language, code: '1' })).notes;
        assert.equal(await notesOf(), 'session: restarted, variables lost');
        assert.equal(await notesOf(), '');
      });
    });
  }

  describe(`a connection that ends, behind ${wall}`, () => {
    it('takes its runs and all their processes with it', async () => {
      await using server = await startRaw(['--sandbox', wall]);
      await openRaw(server, 'legacy');
      const call = (id: number, code: string) =>
        server.write(
          requestLine('legacy', id, 'tools/call', { name: 'run_code', arguments: { language: 'python', code } }),
        );
      call(1, 'x = 1');
      await server.read();
      call(2, 'while True: pass');
      await sleep(300);
      server.endInput();
      assert.equal(await server.exited, 0);
      assert.deepEqual(await processesMarked(server.pid), []);
    });

    it('ignores blank lines and CRLF', async () => {
      await using server = await startRaw(['--sandbox', wall]);
      await openRaw(server, 'legacy');
      server.write(`\n\r\n${requestLine('legacy', 7, 'tools/list', {}).trimEnd()}\r\n`);
      const answer = await server.read();
      assert.equal(answer.id, 7);
      assert.equal(answer.error, undefined);
    });
  });
}

async function start(connection: Connection, session: string): Promise<void> {
  const code = 'x = 0';
  await callRunCode(connection.client, { session, language: 'python', code });
  while (answerOf(await callRunCode(connection.client, { session, code: '', timeout: 30 })).notes.startsWith('running'))
    await sleep(50);
}
