/**
 * Every system call by number, made behind the wall, against a list that was read by a person (`system-calls.txt`).
 * Not tried outside: with root's rights some of these calls would end the machine.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { answerOf, type Connection, callRunCode, connect } from '../support/client.ts';
import { availableWalls } from '../support/walls.ts';

const LAST_TRIED = 620;

/** Each in a process of its own, with arguments that mean nothing; what blocks is ended by a timer. */
const TRY_ALL = `
import ctypes, errno, json, os, signal
libc = ctypes.CDLL(None, use_errno=True)
minus = [ctypes.c_long(-1)] * 6
def attempt(number):
    pid = os.fork()
    if pid == 0:
        os.close(1); os.close(2)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        value = libc.syscall(ctypes.c_long(number), *minus)
        os._exit(ctypes.get_errno() & 255 if value == -1 else 0)
    status = os.waitpid(pid, 0)[1]
    if os.WIFSIGNALED(status): return signal.Signals(os.WTERMSIG(status)).name
    return errno.errorcode.get(os.WEXITSTATUS(status), 'ok')
print(json.dumps({number: attempt(number) for number in NUMBERS}))
`;

const walls = await availableWalls();
const skip =
  process.arch !== 'x64'
    ? 'the list is of x86-64'
    : walls.includes('bubblewrap')
      ? false
      : 'bubblewrap does not work here';

describe('system calls by number behind bubblewrap', { skip }, () => {
  let connection: Connection;
  before(async () => {
    connection = await connect({ flags: ['--sandbox', 'bubblewrap'] });
  });
  after(() => connection[Symbol.asyncDispose]());

  async function tryNumbers(numbers: string): Promise<Record<string, string>> {
    const code = TRY_ALL.replace('NUMBERS', numbers);
    const answer = answerOf(
      await callRunCode(connection.client, {
        code,
        language: 'python',
        session: `calls-${numbers.length}`,
        timeout: 40,
      }),
    );
    const line = answer.out.split('\n').find((text) => text.startsWith('{'));
    assert.ok(line, JSON.stringify(answer).slice(0, 2_000));
    return JSON.parse(line) as Record<string, string>;
  }

  it('answer as the reviewed list says, and there are no others', async () => {
    const text = await readFile(new URL('./system-calls.txt', import.meta.url), 'utf8');
    const reviewed = new Map(
      [...text.matchAll(/^(\d+) (\w+) (\w+)$/gm)].map(([, number = '', name, verdict]) => [number, { name, verdict }]),
    );
    const answers = await tryNumbers(`range(0, ${LAST_TRIED})`);
    const wrong: string[] = [];
    for (const [number, answer] of Object.entries(answers)) {
      const { name, verdict } = reviewed.get(number) ?? { name: 'not in the list', verdict: 'ENOSYS' };
      if (verdict !== 'allowed' && verdict !== 'arguments' && verdict !== answer)
        wrong.push(`${number} (${name}): ${answer} instead of ${verdict}`);
    }
    assert.deepEqual(wrong, []);
    assert.equal(Object.keys(answers).length, LAST_TRIED);
    const reachable = [...reviewed.values()].filter(({ verdict }) => verdict === 'allowed').length;
    assert.ok(reachable > 200, 'the list is there');
  });

  it('do not exist with bits that make them another kind', async () => {
    const answers = await tryNumbers(
      '[0x40000000 + n for n in range(0, 548, 13)] + [1 << 30, (1 << 31) - 1, 1 << 31, (1 << 32) - 1]',
    );
    assert.deepEqual(new Set(Object.values(answers)), new Set(['ENOSYS']));
  });
});
