import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { silentLogger } from '#observability/logger';
import { SavingsLedger } from './ledger.ts';
import { appendLedger, type LedgerLine, readLedger } from './ledger-file.ts';
import { piecesOf } from './pieces.ts';

describe('piecesOf()', () => {
  const prose = 'The quick brown fox jumps over the lazy dog, and nobody is surprised.\n'.repeat(60);
  const rows = JSON.stringify(
    Array.from({ length: 80 }, (_, id) => ({ id, title: `row ${id}` })),
    null,
    1,
  );

  it('loses nothing', () => {
    for (const text of ['', 'a', prose, rows, 'x'.repeat(5_000)]) assert.equal(piecesOf(text).join(''), text);
  });

  it('hardly changes the count, and not at all for prose', () => {
    const count = (text: string) => piecesOf(text).reduce((sum, piece) => sum + countTokens(piece), 0);
    assert.equal(count(prose), countTokens(prose));
    assert.ok(Math.abs(count(rows) - countTokens(rows)) <= piecesOf(rows).length);
  });

  it('has no piece that takes long', () => {
    for (const text of ['x'.repeat(3_000), ' '.repeat(3_000), prose]) {
      assert.ok(piecesOf(text).every(({ length }) => length > 0 && length <= 500));
    }
  });
});

describe('the ledger', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sallyport-savings-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));
  const state = () => mkdtemp(join(folder, 'state-'));
  const line = (more: Partial<LedgerLine> = {}): LedgerLine => ({
    time: new Date().toISOString(),
    kind: 'run',
    without: 10,
    with: 3,
    calls: 1,
    ...more,
  });

  it('adds up runs and connections, and passes over broken lines', async () => {
    const stateDir = await state();
    await appendLedger(stateDir, [line(), line({ without: 0, with: 50, calls: 0 })]);
    await appendLedger(stateDir, [line({ kind: 'connection', without: 1_000, with: 300, calls: 0 })]);
    await appendFile(join(stateDir, 'savings.jsonl'), '{"kind":"run","with');
    const { totals, runs } = await readLedger(stateDir);
    assert.deepEqual(totals, { runs: 2, connections: 1, calls: 1, without: 1_010, with: 353, saved: 657 });
    assert.equal(runs.length, 2);
    assert.equal((await stat(join(stateDir, 'savings.jsonl'))).mode & 0o777, 0o600);
  });

  it('is summed when it gets long, while others write, and loses nothing', async () => {
    const stateDir = await state();
    const bytesMax = 40_000;
    await Promise.all(
      Array.from({ length: 5 }, async () => {
        for (let count = 0; count < 200; count += 1) await appendLedger(stateDir, [line()], bytesMax);
      }),
    );
    const { totals } = await readLedger(stateDir);
    assert.deepEqual([totals.runs, totals.calls, totals.without, totals.with], [1_000, 1_000, 10_000, 3_000]);
    assert.deepEqual(await readdir(stateDir), ['savings.jsonl']);
  });

  it('counts what a run saved, cuts huge results, and shows a loss as a loss', async (test) => {
    const stateDir = await state();
    const ledger = new SavingsLedger(stateDir, silentLogger);
    test.after(() => ledger.close());
    const run = { runId: 'a', session: 's', caller: 'tests', toolCalls: 2, isOver: true };
    ledger.noteCall('a', '{"name":"x","arguments":{}}', 'word '.repeat(1_000));
    ledger.noteCall('a', '{"name":"x","arguments":{}}', 'word '.repeat(1_000_000));
    const saved = await ledger.answered(run, { sent: 'print(1)', returned: ['1'] });
    const call = countTokens('{"name":"x","arguments":{}}');
    assert.equal(saved, 2 * call + 1_001 + 20_001 - countTokens('print(1)') - 1);
    ledger.noteCall('b', '{}', 'no');
    assert.ok((await ledger.answered({ ...run, runId: 'b' }, { sent: 'x = 1\n'.repeat(200), returned: [] })) < -500);
    assert.equal(await ledger.answered({ ...run, runId: 'c', toolCalls: 0 }, { sent: 'print(1)', returned: ['1'] }), 0);
    const connection = {};
    for (let times = 0; times < 2; times += 1)
      ledger.noteConnection(
        connection,
        async () => ['one tool'],
        async () => ['many tools'],
      );
    await ledger.close();
    const { totals, runs } = await readLedger(stateDir);
    assert.deepEqual([totals.runs, totals.connections], [3, 1]);
    assert.deepEqual(
      runs.map(({ run: id, without, with: own }) => [id, Math.sign(without - own)]),
      [
        ['a', 1],
        ['b', -1],
        ['c', -1],
      ],
    );
  });

  it('guesses by length what nobody had counted at the end', async () => {
    const stateDir = await state();
    const ledger = new SavingsLedger(stateDir, silentLogger);
    await ledger.answered(
      { runId: 'a', session: 's', caller: 'tests', toolCalls: 0, isOver: true },
      { sent: 'x'.repeat(40), returned: [] },
    );
    await ledger.close();
    const [kept] = (await readLedger(stateDir)).runs;
    assert.deepEqual([kept?.with, kept?.isEstimate], [10, true]);
  });
});
