import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RawServer, requestLine, startRaw } from '../support/raw.ts';

const WITH_TASKS = {
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
};

interface TaskState {
  readonly resultType: string;
  readonly taskId: string;
  readonly status: string;
  readonly result?: { content: Array<{ text: string }>; isError?: boolean };
}

/** Asks as a caller would, until the task is no longer at work. */
async function waitForEnd(server: RawServer, { taskId }: TaskState): Promise<TaskState> {
  for (let id = 10; ; id++) {
    server.write(requestLine('modern', id, 'tasks/get', { taskId, _meta: WITH_TASKS }));
    const state = (await server.read()).result as TaskState;
    if (state.status !== 'working' || id > 200) return state;
    await sleep(100);
  }
}

describe('a long run of a caller that declares tasks', () => {
  const call = (code: string) => ({ name: 'run_code', arguments: { language: 'python', code }, _meta: WITH_TASKS });

  it('becomes a task whose result has the whole output', async () => {
    await using server = await startRaw(['--answer-after', '400ms']);
    server.write(
      requestLine(
        'modern',
        1,
        'tools/call',
        call('import time\nprint("one", flush=True)\ntime.sleep(1)\nprint("two")'),
      ),
    );
    const task = (await server.read()).result as TaskState;
    assert.deepEqual([task.resultType, task.status], ['task', 'working']);
    const state = await waitForEnd(server, task);
    assert.equal(state.status, 'completed');
    assert.equal(state.result?.content[0]?.text, 'one\ntwo\n');
  });

  it('is ended by tasks/cancel', async () => {
    await using server = await startRaw(['--answer-after', '300ms']);
    server.write(requestLine('modern', 1, 'tools/call', call('while True: pass')));
    const task = (await server.read()).result as TaskState;
    server.write(requestLine('modern', 2, 'tasks/cancel', { taskId: task.taskId, _meta: WITH_TASKS }));
    await server.read();
    const state = await waitForEnd(server, task);
    assert.equal(state.status, 'cancelled');
    assert.match(state.result?.content[1]?.text ?? '', /stopped: cancelled/);
  });

  it('is answered at once when it is quick', async () => {
    await using server = await startRaw();
    server.write(requestLine('modern', 1, 'tools/call', call('print(1)')));
    const result = (await server.read()).result as { content: Array<{ text: string }> };
    assert.equal(result.content[0]?.text, '1\n');
  });
});
