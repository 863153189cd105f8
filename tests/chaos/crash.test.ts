/**
 * The server itself is killed, starved or misled. Nothing of it stays alive, what a person named is whole, the next
 * start works and cleans up, and what cannot be done is said.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../security/wait-for.ts';
import { answerOf, callRunCode, connect, metaOf } from '../support/client.ts';
import { sandboxProcesses } from '../support/processes.ts';
import { availableWalls } from '../support/walls.ts';

const KILLS = process.env.SALLYPORT_TEST_FULL === '1' ? 60 : 3;
const GONE_MS_MAX = 15_000;
const isRoot = process.getuid?.() === 0;

/** What is going on when the server dies. */
const WORK = [
  {
    language: 'python',
    code: 'import os, time\nfor i in range(5):\n    if os.fork() == 0:\n        os.setsid()\n        time.sleep(600)\ntime.sleep(600)',
  },
  { language: 'python', code: 'while True: print("x" * 1000)' },
  { language: 'bash', code: 'trap "" TERM INT HUP; while :; do echo x >>file; sleep 0.01; done' },
  { language: 'javascript', code: 'for (;;) {}' },
  { language: 'python', code: 'a = []\nwhile True: a.append(bytearray(1_000_000))' },
];
/** Without processes and signals. */
const QUIET_WORK = [
  { language: 'python', code: 'while True: pass' },
  { language: 'javascript', code: 'for (;;) {}' },
];

for (const wall of await availableWalls()) {
  describe(`a server behind ${wall}`, () => {
    it(`is killed at ${KILLS} moments, and nothing of it is left`, { timeout: 20 * 60_000 }, async () => {
      const stateDir = await mkdtemp(join(tmpdir(), 'sallyport-crash-'));
      const kept = 'a line that must stay\n'.repeat(2_000);
      const pids: number[] = [];
      for (let turn = 0; turn < KILLS; turn++) {
        const connection = await connect({ stateDir, flags: ['--sandbox', wall, '--log-level', 'error'] });
        const pid = connection.transport.pid ?? 0;
        pids.push(pid);
        const work = wall === 'embedded' ? QUIET_WORK : WORK;
        if (turn === 0)
          await callRunCode(connection.client, {
            session: 'kept',
            language: 'bash',
            code: 'true',
            files: { 'kept.txt': kept },
          });
        const runs = work.map((job, index) =>
          callRunCode(connection.client, { ...job, session: `s${index}`, timeout: 60 }).catch(() => undefined),
        );
        await sleep(Math.random() * 1_500);
        process.kill(pid, 'SIGKILL');
        await Promise.all(runs);
        await connection.client.close();
        await waitFor(
          async () => (await sandboxProcesses(pid, stateDir)).length === 0,
          `turn ${turn}: processes live on`,
          GONE_MS_MAX,
        );
        assert.equal(await readFile(join(stateDir, 'sessions/kept/workspace/kept.txt'), 'utf8'), kept);
      }

      await using next = await connect({ stateDir, flags: ['--sandbox', wall] });
      const answer = answerOf(
        await callRunCode(next.client, {
          session: 'kept',
          language: 'python',
          code: 'print(len(open("kept.txt").read()))',
        }),
      );
      assert.equal(answer.out, `${kept.length}\n`, JSON.stringify(answer));
      await waitFor(
        () => leftovers(pids, stateDir).length === 0,
        `left behind: ${leftovers(pids, stateDir).join(', ')}`,
        GONE_MS_MAX,
      );
      await next.client.close();
      await rm(stateDir, { recursive: true, force: true });
    });

    it('keeps its sessions when the clock of the machine jumps', async () => {
      const jump = new URL('./clock-jump.mjs', import.meta.url).href;
      await using connection = await connect({
        flags: ['--sandbox', wall, '--idle-timeout', '1h'],
        env: { NODE_OPTIONS: `--import=${jump}` },
      });
      const run = (code: string, timeout = 30) =>
        callRunCode(connection.client, { session: 'clock', language: 'python', code, timeout });
      await run('x = 1');
      for (let turn = 0; turn < 6; turn++) {
        await sleep(700);
        assert.equal(answerOf(await run('x')).out, '1', `turn ${turn}`);
      }
      assert.equal(metaOf(await run('while True: pass', 0.3)).stop, 'timeout');
    });

    it('says so when its state directory cannot be written to', {
      skip: isRoot ? false : 'needs root to mount',
    }, async () => {
      await withSmallDisk(async (disk) => {
        execFileSync('mount', ['-o', 'remount,ro', disk]);
        await using connection = await connect({
          stateDir: join(disk, 'state'),
          flags: ['--sandbox', wall, '--log-level', 'silent'],
        });
        assert.equal((await connection.client.listTools()).tools.length, 1);
        const result = await callRunCode(connection.client, { language: 'python', code: 'print(1)' });
        assert.equal(result.isError, true);
        assert.match(
          answerOf(result).out,
          /^error: .*(?:EROFS|read-only|cannot|Cannot)/,
          JSON.stringify(answerOf(result)),
        );
      });
    });

    it('says so when the disk is full, and goes on when it is not any more', {
      skip: isRoot ? false : 'needs root to mount',
    }, async () => {
      await withSmallDisk(async (disk) => {
        await using connection = await connect({
          stateDir: join(disk, 'state'),
          flags: ['--sandbox', wall, '--log-level', 'silent', '--warm', 'off'],
        });
        const run = (code: string, session = 'full') =>
          callRunCode(connection.client, { session, language: 'python', code, timeout: 20 });
        await run('kept = 7');
        const fill = await run(
          'try:\n    with open("fill", "wb") as f:\n        while True: f.write(b"x" * 100_000)\nexcept OSError as e:\n    import errno\n    print(errno.errorcode[e.errno])',
        );
        assert.ok(
          answerOf(fill).out === 'ENOSPC\n' || metaOf(fill).stop === 'disk' || answerOf(fill).failed,
          JSON.stringify(fill),
        );
        // A new session needs room for its folder; whatever it says, the server lives.
        await run('print(1)', 'another');
        await run('import os\nos.path.exists("fill") and os.remove("fill")');
        for (let tries = 0; ; tries++) {
          const again = answerOf(await run('print("again")'));
          if (again.out.endsWith('again\n')) break;
          assert.ok(tries < 3, JSON.stringify(again));
        }
      });
    });

    it('says so when it may open no more files, and goes on', async () => {
      await using connection = await connect({
        flags: ['--sandbox', wall, '--max-sessions', '100', '--log-level', 'silent'],
      });
      const pid = connection.transport.pid ?? 0;
      const run = (session: string) =>
        callRunCode(connection.client, { session, language: 'python', code: 'print(1)', timeout: 20 });
      assert.equal(answerOf(await run('first')).out, '1\n');
      const open = readdirSync(`/proc/${pid}/fd`).length;
      execFileSync('prlimit', ['--pid', String(pid), `--nofile=${open + 12}:`]);
      const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => run(`many-${index}`).then(answerOf)));
      for (const answer of answers)
        assert.ok(answer.out === '1\n' || /^error: /.test(answer.out), JSON.stringify(answer));
      execFileSync('prlimit', ['--pid', String(pid), '--nofile=4096:']);
      assert.equal(answerOf(await run('first')).out, '1\n');
    });
  });
}

/** A file system of a few megabytes, gone afterwards. */
async function withSmallDisk(use: (disk: string) => Promise<void>): Promise<void> {
  const disk = await mkdtemp(join(tmpdir(), 'sallyport-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', disk]);
  try {
    await use(disk);
  } finally {
    execFileSync('umount', ['--lazy', disk]);
    await rm(disk, { recursive: true, force: true });
  }
}

/** What servers with these pids made and that is still there. */
function leftovers(pids: readonly number[], stateDir: string): string[] {
  const isTheirs = (name: string) =>
    pids.some((pid) => name.includes(`-${pid}-`) || name.startsWith(`${pid}-`) || name === `${pid}.sock`);
  const folders = [
    ...['memory', 'pids', 'cpu', 'cpuacct'].map((controller) => `/sys/fs/cgroup/${controller}`),
    '/sys/fs/cgroup',
    '/run',
    tmpdir(),
    ...['sessions', 'run', 'servers'].map((name) => join(stateDir, name)),
  ];
  const files = folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder)
        .filter(isTheirs)
        .map((name) => join(folder, name)),
    );
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line.includes(stateDir));
  return [...files, ...mounts];
}
