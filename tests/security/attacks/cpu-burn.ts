// If this worked: a program that uses all cores, or sleeps to look idle, would run for as long as it likes.
import assert from 'node:assert/strict';
import { metaOf } from '../../support/client.ts';
import type { Attack } from '../attack.ts';

export const attack: Attack = {
  checks: [
    {
      name: 'CPU time of many processes is counted together',
      not: { embedded: 'there are no processes to make' },
      control: 'It would only take the time of the tests',
      holds: async (field) => {
        const code =
          'import os\nfor i in range(3):\n    if os.fork() == 0:\n        while True: pass\nwhile True: pass';
        const result = await field.run({ session: 'burn', language: 'python', code, timeout: 19 });
        assert.equal(metaOf(result).stop, 'cpu', JSON.stringify(result));
      },
    },
    {
      name: 'a program that sleeps, stops its clock or ignores every signal ends with its time',
      control: 'It would only take the time of the tests',
      holds: async (field) => {
        const programs = [
          'import time\nwhile True:\n    try: time.sleep(100)\n    except BaseException: pass',
          'import signal, time\ntry:\n    signal.setitimer(signal.ITIMER_REAL, 0); signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\nexcept Exception: pass\ntime.time = lambda: 0\ntime.sleep(100)',
        ];
        for (const code of programs) {
          const startedAt = performance.now();
          const result = await field.run({ session: 'sleeps', language: 'python', code, timeout: 0.5 });
          assert.equal(metaOf(result).stop, 'timeout', JSON.stringify(result));
          assert.ok(performance.now() - startedAt < 8_000);
        }
      },
    },
  ],
};
