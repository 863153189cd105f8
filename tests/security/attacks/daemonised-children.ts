// If this worked: a process that cut itself loose would go on after its run was stopped, or keep the answer from coming.
import assert from 'node:assert/strict';
import { answerOf } from '../../support/client.ts';
import type { Attack } from '../attack.ts';
import { processesWith } from '../survivors.ts';
import { waitFor } from '../wait-for.ts';

const daemon = (mark: string) => `
import os, signal, time, sys
for name in ('SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGPIPE'):
    signal.signal(getattr(signal, name), signal.SIG_IGN)
for i in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execv('/bin/sh', ['${mark}', '-c', 'trap "" TERM INT HUP; while :; do sleep 1; done'])
        os._exit(0)
`;
const NO_PROCESSES = { embedded: 'there are no processes to make' };

export const attack: Attack = {
  checks: [
    {
      name: 'a run that is stopped takes them with it, and its answer comes in time',
      not: NO_PROCESSES,
      control: async (field) => {
        const mark = `outside-${field.secret.slice(-6)}`;
        await field.outside('python', daemon(mark));
        const found = await processesWith(mark);
        for (const pid of found) process.kill(pid, 'SIGKILL');
        assert.equal(found.length, 3, 'three were found');
      },
      holds: async (field) => {
        const mark = `stopped-${field.secret.slice(-6)}`;
        const startedAt = performance.now();
        const result = await field.run({
          session: 'daemons',
          language: 'python',
          timeout: 1,
          code: `${daemon(mark)}\nwhile True: time.sleep(1)`,
        });
        assert.equal(answerOf(result).failed, true);
        assert.ok(performance.now() - startedAt < 8_000);
        await waitFor(async () => (await processesWith(mark)).length === 0, 'they live on');
      },
    },
    {
      name: 'a session that is closed takes them with it',
      not: NO_PROCESSES,
      control: 'The control of the first check shows that they are found where they live',
      holds: async (field) => {
        const mark = `closed-${field.secret.slice(-6)}`;
        await field.run({ session: 'daemons-2', language: 'python', code: daemon(mark) });
        await waitFor(async () => (await processesWith(mark)).length > 0, 'they never lived');
        await field.run({ session: 'daemons-2', language: 'python', code: 'mcp.session.close()' });
        await waitFor(async () => (await processesWith(mark)).length === 0, 'they live on');
      },
    },
  ],
};
