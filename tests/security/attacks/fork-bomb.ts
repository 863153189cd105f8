// If this worked: processes without number would take the machine's process table, and with it every other program.
import assert from 'node:assert/strict';
import { answerOf } from '../../support/client.ts';
import type { Attack } from '../attack.ts';
import { type Field, processCount } from '../field.ts';

const BOMBS = {
  bash: [':(){ :|:& };:; sleep 1', 'for i in $(seq 500); do sleep 30 & done; wait'],
  python: [
    'import os, time\nfor i in range(500):\n    try:\n        if os.fork() == 0:\n            time.sleep(30)\n            os._exit(0)\n    except OSError: pass\ntime.sleep(1)',
    'import threading, time\ntry:\n    for i in range(3000): threading.Thread(target=time.sleep, args=(30,), daemon=True).start()\nexcept RuntimeError: print("refused")',
  ],
};
const GROWTH_MAX = 400;

export const attack: Attack = {
  checks: Object.entries(BOMBS).flatMap(([language, bombs]) =>
    bombs.map((code, index) => ({
      name: `${language} bomb ${index + 1} stays within its limit, and the others go on`,
      control: 'It would take the machine that runs the tests down',
      not: { embedded: 'there are no processes and no threads to make' },
      holds: (field: Field) => explode(field, language, code, `bomb-${language}-${index}`),
    })),
  ),
};

async function explode(field: Field, language: string, code: string, session: string): Promise<void> {
  const before = processCount();
  const bomb = field.run({ session, language, code, timeout: 2 });
  const startedAt = performance.now();
  const other = answerOf(await field.run({ session: 'beside', language: 'python', code: 'print("on")' }));
  assert.equal(other.out, 'on\n');
  assert.ok(performance.now() - startedAt < 10_000);
  assert.ok(processCount() - before < GROWTH_MAX, `${before} processes before, ${processCount()} now`);
  await bomb;
  await field.run({ session, language: 'python', code: 'mcp.session.close()' });
}
