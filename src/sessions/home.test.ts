import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { SessionHomes } from './home.ts';

let state = '';
beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), 'sallyport-homes-'));
});
afterEach(() => rm(state, { recursive: true }));

/** A holder.json of a process that cannot be there. */
const DEAD = JSON.stringify({ pid: 4_194_000, started: '1', since: 'long ago' });

describe('SessionHomes', () => {
  it('gives a home a name without moving its folders out of the way of a sandbox', async () => {
    const homes = new SessionHomes(state);
    const own = await homes.createOwn();
    await writeFile(join(own.workspace, 'f'), 'kept');
    const named = await homes.adopt(own, 'work');
    assert.deepEqual(await readdir(named.workspace), ['f']);
    assert.deepEqual(await homes.list(), [{ name: 'work', holderPid: process.pid }]);
  });

  it('refuses a name that a living process holds, and names the process', async () => {
    const homes = new SessionHomes(state);
    await homes.adopt(await homes.createOwn(), 'work');
    await assert.rejects(homes.open('work'), {
      code: 'SESSION_HELD',
      message: new RegExp(`^Session "work" is held by process ${process.pid} since `),
    });
  });

  it('takes over what a dead process held, and what a crash left half-written', async () => {
    const homes = new SessionHomes(state);
    for (const [name, holder] of [
      ['a', DEAD],
      ['b', '{"pid": 1'],
      ['c', ''],
    ] as const) {
      await mkdir(join(state, 'sessions', name, 'workspace'), { recursive: true });
      await writeFile(join(state, 'sessions', name, 'holder.json'), holder);
      await homes.open(name);
    }
    assert.deepEqual(
      (await homes.list()).map(({ holderPid }) => holderPid),
      [process.pid, process.pid, process.pid],
    );
  });

  it('frees a name when it is released, and keeps the files', async () => {
    const homes = new SessionHomes(state);
    const home = await homes.adopt(await homes.createOwn(), 'work');
    await homes.release(home);
    assert.deepEqual(await homes.list(), [{ name: 'work', holderPid: undefined }]);
    await homes.open('work');
  });

  it('sweeps the homes of dead processes, and only those', async () => {
    const homes = new SessionHomes(state);
    await homes.createOwn();
    await homes.adopt(await homes.createOwn(), 'work');
    await mkdir(join(state, 'sessions', '.own-4194000-1-1', 'workspace'), { recursive: true });
    await homes.sweep();
    const left = await readdir(join(state, 'sessions'));
    assert.deepEqual(left.map((name) => name.replace(/-\d+-\d+-/, '-PID-')).sort(), ['.own-PID-1', 'work']);
  });
});
