/** What happens at each limit: the program is told or stopped, and the host can name the limit. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { InterpreterExit } from '../../backend.ts';
import { BackendUnderTest, type Program, TEST_LIMITS } from './under-test.ts';

const MIB = 1024 * 1024;

/** Writes until it cannot; how far it came, and why no further. */
const FILL = `
import errno, os
def fill(path, chunk=1 << 20):
    written = 0
    try:
        with open(path, 'wb', buffering=0) as file:
            while True:
                written += file.write(b'x' * chunk)
    except OSError as error:
        return [written, errno.errorcode[error.errno]]
`;

describe('limits behind the wall', () => {
  let wall: BackendUnderTest;

  before(() => {
    wall = new BackendUnderTest();
  });
  after(() => wall.close());

  it('memory: a process that takes too much is killed, and counted', async () => {
    const python = await wall.start('python');
    const exit = exitOf(python);
    python.channel.send(Buffer.from(`${JSON.stringify("blocks = []\nwhile True: blocks.append(b'x' * (1 << 24))")}\n`));
    assert.deepEqual(await exit, { exitCode: null, signal: 'SIGKILL' });
    assert.equal(python.sandbox.usage().oomKills, 1);
    assert.equal((python.sandbox.usage().peakMemoryBytes ?? 0) > TEST_LIMITS.memoryBytes, true);
    assert.equal(python.sandbox.usage().tmpFull, false);
    assert.deepEqual(python.printed, { stdout: '', stderr: '' });
  });

  it('memory: a child that takes too much dies alone', async () => {
    const python = await wall.start('python');
    const code = `
import subprocess, sys
greedy = "blocks = []\\nwhile True: blocks.append(b'x' * (1 << 24))"
result = subprocess.run([sys.executable, '-c', greedy]).returncode`;
    assert.equal(await python.ask(code), -9);
    assert.equal(python.sandbox.usage().oomKills, 1);
    assert.equal(await python.ask('result = 6 * 7'), 42);
  });

  it('memory: an allocation beyond all measure fails at once', async () => {
    const python = await wall.start('python');
    const code = `
try:
    bytearray(1 << 34)
except MemoryError:
    result = 'MemoryError'`;
    assert.equal(await python.ask(code), 'MemoryError');
    assert.equal(python.sandbox.usage().oomKills, 0);
  });

  it('memory: the peak is that of the run, and falls with a reset', async () => {
    const python = await wall.start('python');
    await python.ask("block = b'x' * (64 << 20); del block");
    assert.equal((python.sandbox.usage().peakMemoryBytes ?? 0) > 64 * MIB, true);
    python.sandbox.resetPeak();
    assert.equal((python.sandbox.usage().peakMemoryBytes ?? 0) < 64 * MIB, true);
    assert.equal((python.sandbox.usage().memoryBytes ?? 0) > MIB, true);
  });

  it('processor time is counted', async () => {
    const python = await wall.start('python');
    const before = python.sandbox.usage().cpuMs ?? 0;
    await python.ask('import time\nend = time.process_time() + 0.2\nwhile time.process_time() < end: pass');
    const used = (python.sandbox.usage().cpuMs ?? 0) - before;
    assert.equal(used >= 190 && used < 2_000, true, `${used} ms`);
  });

  it('cores: a program gets its share and no more', async (context) => {
    const report = await wall.backend.probe();
    if (report.works && report.details.some((detail) => detail.includes('number of cores is not limited'))) {
      return context.skip('this machine limits no cores for this user');
    }
    const python = await wall.start('python', { limits: { cpus: 0.2 } });
    const before = python.sandbox.usage().cpuMs ?? 0;
    await python.ask('import time\nend = time.monotonic() + 1\nwhile time.monotonic() < end: pass');
    const used = (python.sandbox.usage().cpuMs ?? 0) - before;
    assert.equal(used < 400, true, `${used} ms of processor time in a second`);
  });

  it('processes: a fork bomb runs dry', async () => {
    const python = await wall.start('python');
    const code = `
import os, signal, time
children, failure = [], None
for _ in range(500):
    try:
        pid = os.fork()
    except OSError as error:
        failure = error.strerror
        break
    if pid == 0:
        signal.pause()
    children.append(pid)
for pid in children:
    os.kill(pid, 9)
    os.waitpid(pid, 0)
result = [len(children), failure]`;
    const [count, failure] = (await python.ask(code)) as [number, string];
    assert.equal(failure, 'Resource temporarily unavailable');
    assert.equal(count >= TEST_LIMITS.processes - 1 && count <= TEST_LIMITS.processes + 9, true, `${count} children`);
    assert.equal(await python.ask('result = os.system("true")'), 0);
  });

  it('open files', async () => {
    const python = await wall.start('python');
    const code = `
import errno, os
opened, failure = [], None
try:
    while True:
        opened.append(os.open('/dev/null', os.O_RDONLY))
except OSError as error:
    failure = errno.errorcode[error.errno]
result = [max(opened) + 1, failure]`;
    assert.deepEqual(await python.ask(code), [TEST_LIMITS.openFiles, 'EMFILE']);
  });

  it('the size of a file', async () => {
    const python = await wall.start('python');
    await python.ask(FILL);
    assert.deepEqual(await python.ask("result = fill('/workspace/large')"), [TEST_LIMITS.workspaceBytes, 'EFBIG']);
  });

  for (const [folder, bytes] of [
    ['/tmp', TEST_LIMITS.tmpBytes],
    ['/dev/shm', TEST_LIMITS.shmBytes],
  ] as const) {
    it(`${folder}: full is a failed write, not the end of memory`, async () => {
      const python = await wall.start('python');
      await python.ask(FILL);
      assert.equal(python.sandbox.usage().tmpFull, false);
      assert.deepEqual(await python.ask(`result = fill('${folder}/large')`), [bytes, 'ENOSPC']);
      assert.equal(python.sandbox.usage().tmpFull, true);
      assert.equal(python.sandbox.usage().oomKills, 0);
      await python.ask(`os.remove('${folder}/large')`);
      assert.equal(python.sandbox.usage().tmpFull, false);
    });
  }

  it('scratch files come on top of the memory', async () => {
    const python = await wall.start('python', {
      limits: { memoryBytes: 96 * MIB, tmpBytes: 64 * MIB, workspaceBytes: 256 * MIB },
    });
    await python.ask(FILL);
    assert.deepEqual(await python.ask("result = fill('/tmp/large')"), [64 * MIB, 'ENOSPC']);
    assert.equal(await python.ask("block = b'x' * (64 << 20); result = len(block)"), 64 * MIB);
    assert.equal(python.sandbox.usage().oomKills, 0);
  });

  it('asking for the use of a sandbox costs no more than reading a few small files', async () => {
    const python = await wall.start('python');
    const eachMs = (action: () => void) => {
      for (let round = 0; round < 100; round++) action();
      const startedAt = performance.now();
      for (let round = 0; round < 500; round++) action();
      return (performance.now() - startedAt) / 500;
    };
    const readMs = eachMs(() => readFileSync('/proc/self/stat'));
    const askMs = eachMs(() => {
      python.sandbox.resetPeak();
      const { peakMemoryBytes, cpuMs, oomKills } = python.sandbox.usage();
      assert.equal(peakMemoryBytes !== null && cpuMs !== null && oomKills === 0, true);
    });
    assert.equal(askMs < 40 * readMs, true, `${askMs} ms, where a small file takes ${readMs} ms`);
  });
});

function exitOf(program: Program): Promise<InterpreterExit> {
  return new Promise((resolve) => program.channel.onExit(resolve));
}
