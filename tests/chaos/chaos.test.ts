/**
 * Programs that do their worst, mixed with honest ones, many at once. Afterwards the server answers, every honest
 * program got its own answer, and nothing is left on the machine.
 *
 * A sample runs by default; SALLYPORT_CHAOS_RUNS sets the number (`npm run test:full` runs 10,000).
 */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/client';
import { answerOf, callRunCode, connect } from '../support/client.ts';
import { openFileCount, sandboxProcesses } from '../support/processes.ts';
import { availableWalls } from '../support/walls.ts';

const RUNS = Number(process.env.SALLYPORT_CHAOS_RUNS ?? 120);
const SESSIONS = 6;

interface Mischief {
  readonly language: string;
  readonly code: string;
  readonly timeout?: number;
}

const MISCHIEF: readonly Mischief[] = [
  { language: 'python', code: 'while True: pass', timeout: 0.2 },
  { language: 'python', code: 'import os\nos._exit(3)' },
  { language: 'python', code: 'import os\nos.kill(os.getpid(), 11)' },
  { language: 'python', code: 'import os\nos.kill(-1, 9)' },
  { language: 'python', code: 'import os\nos.closerange(0, 4096)' },
  { language: 'python', code: 'import sys\nsys.stdout.write("x" * 3_000_000)' },
  { language: 'python', code: 'a = []\nwhile True: a.append(bytearray(20_000_000))' },
  {
    language: 'python',
    code: 'import os, time\nfor i in range(20):\n    if os.fork() == 0:\n        os.setsid()\n        time.sleep(600)\n        os._exit(0)',
  },
  {
    language: 'python',
    code: 'import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass',
    timeout: 0.2,
  },
  { language: 'python', code: 'import sys\nsys.setrecursionlimit(10**6)\ndef f(): f()\nf()' },
  { language: 'javascript', code: 'for (;;) {}', timeout: 0.2 },
  { language: 'javascript', code: 'process.abort()' },
  { language: 'javascript', code: 'setInterval(() => console.log("x".repeat(1e5)), 1)', timeout: 0.3 },
  { language: 'javascript', code: 'const a = []; for (;;) a.push(new Array(1e6).fill(a.length))' },
  { language: 'javascript', code: 'process.exit(9)' },
  { language: 'bash', code: 'f() { f | f & }; f', timeout: 1 },
  { language: 'bash', code: 'yes | head -c 2000000; exec 1>&- 2>&-' },
  { language: 'bash', code: 'kill -9 $$' },
  { language: 'bash', code: 'kill -STOP $PPID; sleep 60', timeout: 0.3 },
  { language: 'bash', code: 'trap "" INT TERM; sleep 60', timeout: 0.3 },
  { language: 'bash', code: 'nohup sleep 600 >/dev/null 2>&1 & disown' },
];

/** The embedded wall has no child processes and no signals; what is left of the mischief there. */
const SKIPPED_EMBEDDED = /fork|kill|closerange|_exit|abort|yes|trap|nohup|f \| f|setInterval/;

for (const wall of await availableWalls()) {
  describe(`chaos behind ${wall}`, () => {
    it(`survives ${RUNS} runs of which most are hostile`, { timeout: 3 * 60 * 60_000 }, async () => {
      const mischief = wall === 'embedded' ? MISCHIEF.filter(({ code }) => !SKIPPED_EMBEDDED.test(code)) : MISCHIEF;
      const connection = await connect({
        flags: ['--sandbox', wall, '--max-sessions', '40', '--timeout', '5s', '--log-level', 'error'],
      });
      const pid = connection.transport.pid ?? 0;
      try {
        await callRunCode(connection.client, { code: '1', language: 'python', session: 's0' });
        assert.notDeepEqual(await sandboxProcesses(pid, connection.stateDir), [], 'the count below can see something');
        const filesBefore = await openFileCount(pid);
        let next = 0;
        const workers = Array.from({ length: SESSIONS }, async (_, worker) => {
          for (let index = next++; index < RUNS; index = next++)
            await oneRound(connection.client, mischief, worker, index);
        });
        await Promise.all(workers);
        for (let worker = 0; worker < SESSIONS; worker++) await honest(connection.client, `s${worker}`, worker);
        for (let worker = 0; worker < SESSIONS; worker++)
          await callRunCode(connection.client, {
            code: 'mcp.session.close()',
            language: 'python',
            session: `s${worker}`,
          });
        await sleep(1_500);
        const filesAfter = await openFileCount(pid);
        assert.ok(filesAfter <= filesBefore + 40, `open files: ${filesBefore} before, ${filesAfter} after`);
      } finally {
        await connection.client.close();
      }
      await sleep(500);
      assert.deepEqual(await sandboxProcesses(pid, connection.stateDir), []);
      const homes = await readdir(join(connection.stateDir, 'sessions'));
      assert.deepEqual(
        homes.filter((name) => name.startsWith('.')),
        [],
      );
      await connection[Symbol.asyncDispose]();
    });
  });
}

async function oneRound(client: Client, mischief: readonly Mischief[], worker: number, index: number): Promise<void> {
  const session = `s${worker}`;
  if (index % 4 === 0) return honest(client, session, index);
  const chosen = mischief[(index * 7 + worker) % mischief.length] as Mischief;
  if (index % 11 === 5) return cancelled(client, session, chosen);
  await callRunCode(client, { ...chosen, session });
}

/**
 * An honest program gets its own answer, whatever was before it. What an earlier program left behind may still bring
 * the sandbox down under it; then the answer says so, and the next try finds a new one.
 */
async function honest(client: Client, session: string, index: number): Promise<void> {
  const token = `${session}-${index}`;
  for (let tries = 1; ; tries++) {
    const answer = answerOf(await callRunCode(client, { code: `print("${token}")`, language: 'python', session }));
    if (answer.failed && tries < 3 && /session: restarted, variables lost/.test(answer.notes)) continue;
    assert.ok(answer.out.endsWith(`${token}\n`), JSON.stringify(answer));
    assert.equal(answer.failed, false, JSON.stringify(answer));
    return;
  }
}

async function cancelled(client: Client, session: string, chosen: Mischief): Promise<void> {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 50);
  await client
    .callTool({ name: 'run_code', arguments: { ...chosen, session } }, { signal: controller.signal })
    .catch(() => {}); // the cancellation itself
}
