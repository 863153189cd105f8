import assert from 'node:assert/strict';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { watchWorkspace } from './disk.ts';

const MIB = 1024 * 1024;

describe('watchWorkspace()', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sallyport-disk-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  /** Whether the watch has spoken within a few looks. */
  async function exceeds(
    quota: { bytes: number; files: number },
    act: () => Promise<unknown>,
    looksMax = 5,
  ): Promise<boolean> {
    let calls = 0;
    const watch = watchWorkspace(directory, quota, () => calls++);
    await act();
    for (let looks = 0; looks < looksMax && calls === 0; looks++) await sleep(100);
    await sleep(120);
    watch.stop();
    assert.ok(calls <= 1, 'it speaks once');
    return calls === 1;
  }

  /** With the patience that it takes while others free space on the same file system. */
  const speaks = (quota: { bytes: number; files: number }, act: () => Promise<unknown>) => exceeds(quota, act, 40);

  it('stays silent inside the quota', async () => {
    assert.equal(await exceeds({ bytes: 4 * MIB, files: 100 }, () => write('a', MIB)), false);
  });

  it('speaks when there are too many bytes', async () => {
    assert.equal(await speaks({ bytes: 2 * MIB, files: 100 }, () => write('a', 3 * MIB)), true);
  });

  it('speaks when there are too many files', async () => {
    const act = () => Promise.all(Array.from({ length: 12 }, (_, index) => write(`file-${index}`, 1)));
    assert.equal(await speaks({ bytes: 2 * MIB, files: 10 }, act), true);
  });

  it('does not count what links lead to', async () => {
    assert.equal(await exceeds({ bytes: MIB, files: 10 }, () => symlink('/usr', join(directory, 'usr'))), false);
  });

  it('lets a workspace that is already too full be cleaned up, but not grow', async () => {
    const quota = { bytes: 2 * MIB, files: 100 };
    assert.equal(await speaks(quota, () => write('a', 3 * MIB)), true);
    assert.equal(await exceeds(quota, () => rm(join(directory, 'a'))), false);
    assert.equal(await speaks(quota, () => write('a', 3 * MIB)), true);
    assert.equal(await speaks(quota, () => write('b', 3 * MIB)), true);
  });

  it('does nothing after it was stopped', async () => {
    const watch = watchWorkspace(directory, { bytes: 1, files: 1 }, () => assert.fail('spoke after stop'));
    await write('a', MIB);
    watch.stop();
    await sleep(250);
  });

  function write(name: string, bytes: number): Promise<void> {
    return writeFile(join(directory, name), Buffer.alloc(bytes, 1));
  }
});
