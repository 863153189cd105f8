import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { silentLogger } from '#observability/logger';
import { AuditLog } from './audit-log.ts';
import { type AuditFilter, readAudit } from './audit-read.ts';

describe('AuditLog', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sallyport-audit-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));
  let states = 0;
  const openLog = (more: { fileBytesMax?: number; clean?: (text: string) => string } = {}, told: string[] = []) => {
    const stateDir = join(folder, String(states++));
    const logger = { ...silentLogger, error: (message: string) => void told.push(message) };
    return { stateDir, log: new AuditLog(stateDir, logger, { clean: (text) => text, ...more }) };
  };
  const linesOf = async (stateDir: string, filter: AuditFilter = {}) => {
    const lines = [];
    for await (const line of readAudit(stateDir, filter)) lines.push(line);
    return lines;
  };

  it('writes one line each, which only its owner may read', async () => {
    const { log, stateDir } = openLog();
    log.write('run', { session: 'work', outcome: 'ok' });
    log.write('call', { server: 'a', tool: 'b', outcome: 'ok' });
    await log.close();
    const text = await readFile(join(stateDir, 'audit.jsonl'), 'utf8');
    assert.deepEqual(
      text
        .trim()
        .split('\n')
        .map((line) => ({ ...JSON.parse(line), time: 0 })),
      [
        { time: 0, kind: 'run', session: 'work', outcome: 'ok' },
        { time: 0, kind: 'call', server: 'a', tool: 'b', outcome: 'ok' },
      ],
    );
    assert.equal((await stat(join(stateDir, 'audit.jsonl'))).mode & 0o777, 0o600);
  });

  it('takes back a permission that somebody gave to others', async () => {
    const { log, stateDir } = openLog();
    log.write('run', {});
    await log.close();
    await chmod(join(stateDir, 'audit.jsonl'), 0o644);
    log.write('run', {});
    await log.close();
    assert.equal((await stat(join(stateDir, 'audit.jsonl'))).mode & 0o777, 0o600);
  });

  it('writes no secret', async () => {
    const { log, stateDir } = openLog({ clean: (text) => text.replaceAll('hush-hush', '[secret X]') });
    log.write('call', { args: { key: 'hush-hush' } });
    await log.close();
    assert.match(await readFile(join(stateDir, 'audit.jsonl'), 'utf8'), /"args":\{"key":"\[secret X\]"\}/);
  });

  it('writes the line without what cannot be written down', async () => {
    const { log, stateDir } = openLog();
    let deep: unknown = 1;
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
    log.write('call', { tool: 'x', args: deep });
    await log.close();
    assert.deepEqual(
      (await linesOf(stateDir)).map(({ tool, args }) => [tool, args]),
      [['x', undefined]],
    );
  });

  it('turns to a new file when one is full, keeps the last eight, and reads them in order', async () => {
    const { log, stateDir } = openLog({ fileBytesMax: 100 });
    for (let number = 0; number < 12; number += 1) {
      log.write('run', { number, filler: 'x'.repeat(100) });
      await log.close();
      await new Promise((resolve) => setTimeout(resolve, 2)); // names go by the millisecond
    }
    assert.equal((await readdir(stateDir)).length, 8);
    assert.deepEqual(
      (await linesOf(stateDir)).map(({ number }) => number),
      [4, 5, 6, 7, 8, 9, 10, 11],
    );
  });

  it('never fails a run: it says once that it cannot write, and later how many lines are missing', async () => {
    const told: string[] = [];
    const { log, stateDir } = openLog({}, told);
    await mkdir(join(stateDir, 'audit.jsonl'), { recursive: true });
    log.write('run', {});
    log.write('run', {});
    await log.close();
    log.write('run', {});
    await log.close();
    assert.deepEqual(told, ['The audit log cannot be written']);
    await rm(join(stateDir, 'audit.jsonl'), { recursive: true });
    log.write('run', { back: true });
    await log.close();
    assert.deepEqual(
      (await linesOf(stateDir)).map(({ kind, lines }) => [kind, lines]),
      [
        ['lost', 3],
        ['run', undefined],
      ],
    );
  });

  it('is read by server, tool, session, run, kind, decision and time, without the lines that are broken', async () => {
    const { log, stateDir } = openLog();
    log.write('call', { server: 'a', tool: 'x', session: 's', run: '1', decision: 'deny' });
    log.write('call', { server: 'b', tool: 'y', session: 's', run: '1', decision: 'allow' });
    log.write('run', { session: 't', run: '2' });
    await log.close();
    const { appendFile } = await import('node:fs/promises');
    await appendFile(join(stateDir, 'audit.jsonl'), '{"time":"half a li');
    const count = async (filter: AuditFilter) => (await linesOf(stateDir, filter)).length;
    assert.equal(await count({}), 3);
    assert.equal(await count({ server: 'a' }), 1);
    assert.equal(await count({ tool: 'y' }), 1);
    assert.equal(await count({ session: 's' }), 2);
    assert.equal(await count({ run: '2' }), 1);
    assert.equal(await count({ kind: 'run' }), 1);
    assert.equal(await count({ decision: 'deny' }), 1);
    assert.equal(await count({ since: new Date(Date.now() + 1000) }), 0);
  });
});
