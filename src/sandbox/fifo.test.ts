import assert from 'node:assert/strict';
import { closeSync, existsSync, fstatSync, mkdtempSync, readdirSync, readSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { AppError } from '#contracts/errors';
import { findTool } from './executables.ts';
import { FifoStore } from './fifo.ts';

function store(mkfifo = findTool('mkfifo', '') ?? 'mkfifo'): { fifos: FifoStore; directory: string } {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-fifo-'));
  return { fifos: new FifoStore(directory, mkfifo), directory };
}

it('FifoStore hands out pipes that nobody else can open by name', async () => {
  const { fifos, directory } = store();
  const { readFd, writeFd } = await fifos.take(undefined);
  assert.equal(fstatSync(readFd).isFIFO(), true);
  assert.equal(fstatSync(readFd).nlink, 0);
  writeSync(writeFd, 'hello');
  const bytes = Buffer.alloc(10);
  assert.equal(bytes.toString('utf8', 0, readSync(readFd, bytes)), 'hello');
  for (const fd of [readFd, writeFd]) closeSync(fd);
  await fifos.close();
  assert.equal(existsSync(directory), false);
});

it('FifoStore makes as many as are asked for, each once', async () => {
  const { fifos, directory } = store();
  const taken = await Promise.all(Array.from({ length: 40 }, () => fifos.take(undefined)));
  assert.equal(new Set(taken.map(({ readFd }) => fstatSync(readFd).ino)).size, 40);
  for (const { readFd, writeFd } of taken) {
    closeSync(readFd);
    closeSync(writeFd);
  }
  assert.equal(
    readdirSync(directory).every((name) => name.startsWith('fifo-')),
    true,
  );
  await fifos.close();
});

it('FifoStore tells why it cannot make pipes', async () => {
  const { fifos } = store('/bin/false');
  await assert.rejects(fifos.take(undefined), (error) => error instanceof AppError && error.code === 'SANDBOX_FAILED');
  await fifos.close();
});
