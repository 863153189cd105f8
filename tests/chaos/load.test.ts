/**
 * The server under load: many callers for a while, 200 sessions at once, and more than it takes. `test:full` goes on for
 * half an hour, which is long enough for what grows to show.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { answerOf, callRunCode, connect, MAIN, metaOf } from '../support/client.ts';
import { availableWalls } from '../support/walls.ts';

const IS_FULL = process.env.SALLYPORT_TEST_FULL === '1';
const MINUTES = IS_FULL ? 30 : 0.1;
/** In half an hour nothing may grow; in seconds memory still does, because nothing has been collected yet. */
const GROWTH_MAX = IS_FULL ? 0.05 : 3;
const LIVE_SESSIONS = IS_FULL ? 200 : 40;

const walls = await availableWalls();
const skip = walls.includes('bubblewrap') ? false : 'bubblewrap does not work here';

describe('a server under load behind bubblewrap', { skip }, () => {
  it(`answers right for ${MINUTES} minutes, and does not grow`, { timeout: 40 * 60_000 }, () => {
    const args = [
      MAIN,
      'bench',
      'load',
      '--sandbox',
      'bubblewrap',
      '--clients',
      '12',
      '--minutes',
      String(MINUTES),
      '--json',
    ];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    const report = JSON.parse(stdout) as {
      runs: number;
      errors: number;
      errorSamples: string[];
      memoryBytes: { share: number };
      openFiles: { share: number };
    };
    assert.deepEqual([report.errors, report.errorSamples], [0, []], stderr);
    assert.ok(report.runs > 0);
    assert.ok(report.memoryBytes.share < GROWTH_MAX, JSON.stringify(report));
    assert.ok(report.openFiles.share < (IS_FULL ? 0.05 : 0.5), JSON.stringify(report));
  });

  it(`keeps ${LIVE_SESSIONS} sessions alive, each with its own variables`, { timeout: 10 * 60_000 }, async () => {
    await using connection = await connect({
      flags: ['--sandbox', 'bubblewrap', '--max-sessions', String(LIVE_SESSIONS)],
    });
    const all = (code: (index: number) => string) =>
      Promise.all(
        Array.from({ length: LIVE_SESSIONS }, async (_, index) =>
          answerOf(
            await callRunCode(connection.client, {
              session: `s${index}`,
              language: 'python',
              code: code(index),
              timeout: 120,
            }),
          ),
        ),
      );
    await all((index) => `n = ${index}`);
    const answers = await all(() => 'print(n)');
    assert.deepEqual(
      answers.map(({ out }) => out),
      answers.map((_, index) => `${index}\n`),
    );
  });

  it('says that it is busy, and when to come back, instead of breaking down', async () => {
    await using connection = await connect({ flags: ['--sandbox', 'bubblewrap', '--max-sessions', '3'] });
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        callRunCode(connection.client, {
          session: `named-${index}`,
          language: 'python',
          code: 'import time; time.sleep(0.3); print("ran")',
        }),
      ),
    );
    const busy = results.filter(
      (result) => metaOf(result)?.error?.code === 'BUSY' || /^error: No new session/.test(answerOf(result).out),
    );
    const ran = results.filter((result) => answerOf(result).out === 'ran\n');
    assert.equal(ran.length + busy.length, 12, JSON.stringify(results.map(answerOf)));
    assert.equal(ran.length, 3);
    for (const result of busy) assert.match(answerOf(result).out, /\nhint: Try again in a moment/);

    // The queue of one session is bounded too.
    const queued = await Promise.all(
      Array.from({ length: 80 }, () =>
        callRunCode(connection.client, { session: 'named-0', language: 'python', code: 'print("ran")' }),
      ),
    );
    const refused = queued.map(answerOf).filter(({ out }) => out !== 'ran\n');
    for (const { out } of refused) assert.match(out, /^error: .*runs waiting\nhint: /);
    assert.equal(
      answerOf(await callRunCode(connection.client, { session: 'named-0', language: 'python', code: 'print("on")' }))
        .out,
      'on\n',
    );
  });
});
