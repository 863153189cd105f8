/**
 * Attack programs that others wrote, behind bubblewrap and embedded: nothing of the host changes, nobody is reached,
 * the secret does not come out, and the next call is answered at once. A sample by default, all of them in `test:full`.
 */
import assert from 'node:assert/strict';
import net from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { WallName } from '../e2e/behaviours.ts';
import { type Field, openField } from '../security/field.ts';
import { answerOf } from '../support/client.ts';
import { availableWalls } from '../support/walls.ts';
import { type HostileProgram, missingData, readPrograms } from './programs.ts';

const IS_FULL = process.env.SALLYPORT_TEST_FULL === '1';
/** One in so many. */
const SAMPLE = 8;
const AT_ONCE = 4;
const PROGRAM_SECONDS = IS_FULL ? 5 : 1;
/** Where the programs expect their listeners. */
const PORTS = [5758, 5389];
/** Generous, because the machine of tests is busy with the others' programs at that moment. */
const NEXT_ANSWER_MS_MAX = 5_000;

const skip = missingData() ?? false;
const walls: readonly WallName[] = skip ? [] : await availableWalls();

describe('programs of others', { skip }, () => {
  for (const wall of walls) describeHostile(wall);
});

function describeHostile(wall: WallName): void {
  describe(`behind ${wall}`, () => {
    let field: Field;
    const visits: string[] = [];
    const listeners: net.Server[] = [];
    before(async () => {
      field = await openField(wall);
      for (const port of PORTS) listeners.push(await listen(port, visits));
    });
    after(async () => {
      for (const listener of listeners) listener.close();
      await field[Symbol.asyncDispose]();
    });

    it('have no effect on the host, and the next call is answered at once', { timeout: 60 * 60_000 }, async () => {
      const all = readPrograms();
      const programs = all.filter((_, index) => IS_FULL || index % SAMPLE === 0);
      assert.ok(programs.length > 0);
      const failures: string[] = [];
      let next = 0;
      const workers = Array.from({ length: AT_ONCE }, async (_, worker) => {
        for (let program = programs[next++]; program; program = programs[next++]) {
          failures.push(...(await runOne(field, program, `hostile-${worker}`, visits)));
        }
      });
      await Promise.all(workers);
      assert.deepEqual(failures, []);
      const startedAt = performance.now();
      const answer = answerOf(await field.run({ code: 'print(6 * 7)', language: 'python', session: 'after' }));
      assert.equal(answer.out, '42\n');
      assert.ok(performance.now() - startedAt < NEXT_ANSWER_MS_MAX);
    });
  });
}

async function runOne(
  field: Field,
  { id, language, code }: HostileProgram,
  session: string,
  visits: string[],
): Promise<string[]> {
  const failures: string[] = [];
  const result = await field
    .run({ code, language, session, timeout: PROGRAM_SECONDS })
    .catch((error: unknown) => String(error));
  const text = JSON.stringify(result);
  if (text.includes(field.secret)) failures.push(`${id}: the secret came out`);
  failures.push(...[...visits.splice(0), ...(await field.takeEffects())].map((effect) => `${id}: ${effect}`));
  const startedAt = performance.now();
  const honest = answerOf(await field.run({ code: `print("${id}")`, language: 'python', session: 'honest' }));
  if (honest.out !== `${id}\n`) failures.push(`${id}: the next call was answered ${JSON.stringify(honest)}`);
  if (performance.now() - startedAt > NEXT_ANSWER_MS_MAX) failures.push(`${id}: the next call waited`);
  return failures;
}

/** Somebody else on the machine may have the port; then it is theirs that nothing must reach, and others show the same. */
async function listen(port: number, visits: string[]): Promise<net.Server> {
  const server = net.createServer((socket) => {
    visits.push(`somebody connected to port ${port}`);
    socket.destroy();
  });
  await new Promise<void>((resolve) => {
    server.once('error', () => resolve());
    server.listen(port, '0.0.0.0', resolve);
  });
  return server;
}
