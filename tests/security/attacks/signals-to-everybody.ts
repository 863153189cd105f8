// If this worked: a program would end or freeze the server, its neighbours or the wall's own helpers with a signal.
import assert from 'node:assert/strict';
import { answerOf } from '../../support/client.ts';
import type { Attack } from '../attack.ts';

const KILLS: ReadonlyArray<readonly [language: string, code: (pids: readonly number[]) => string]> = [
  ['python', () => 'import os\nos.kill(-1, 9)'],
  ['python', () => 'import os\nos.kill(1, 9)\nos.kill(os.getppid(), 9)'],
  [
    'python',
    () =>
      'import os, signal, time\nos.kill(os.getppid(), signal.SIGSTOP)\nos.kill(os.getpid(), signal.SIGSTOP)\ntime.sleep(30)',
  ],
  [
    'python',
    (pids) =>
      `import os\nfor pid in ${JSON.stringify(pids)}:\n    for signal in (9, 15, 19):\n        try: os.kill(pid, signal)\n        except OSError as error: print(error.errno)`,
  ],
  ['bash', () => 'kill -9 -1; kill -9 0; kill -9 $PPID'],
  ['bash', () => 'trap "" TERM INT; kill -STOP $$'],
  [
    'javascript',
    (pids) =>
      `for (const pid of [1, process.ppid, ...${JSON.stringify(pids)}]) try { process.kill(pid, 'SIGKILL') } catch {}`,
  ],
];

export const attack: Attack = {
  checks: KILLS.map(([language, code], index) => ({
    name: `${language} signals ${index + 1} reach nobody outside, and the session comes back`,
    control: 'It would end the processes of the machine that runs the tests',
    holds: async (field) => {
      const pids = [field.markedPid, field.serverPid];
      await field.run({ session: 'before', language: 'python', code: 'kept = 1' });
      await field.run({ session: 'signals', language, code: code(pids), timeout: 1 });
      for (let tries = 0; ; tries++) {
        const again = answerOf(await field.run({ session: 'signals', language: 'python', code: 'print("again")' }));
        if (again.out.endsWith('again\n')) break;
        assert.ok(tries < 3, JSON.stringify(again));
      }
      assert.equal(answerOf(await field.run({ session: 'before', language: 'python', code: 'kept' })).out, '1');
    },
  })),
};
