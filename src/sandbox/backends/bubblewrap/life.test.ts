/** How interpreters start, are interrupted and end, and what is left when a sandbox has ended: nothing. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '#contracts/errors';
import type { InterpreterExit } from '../../backend.ts';
import { BackendUnderTest, Program } from './under-test.ts';

/** How this test finds the sources of the house. */
const CONDITIONS = process.execArgv.filter((argument) => argument.startsWith('--conditions'));

describe('the life of a sandbox', () => {
  let wall: BackendUnderTest;

  before(() => {
    wall = new BackendUnderTest();
  });
  after(() => wall.close());

  it('tells how an interpreter ended, and says nothing in its name', async () => {
    const sandbox = await wall.create();
    const exits: InterpreterExit[] = [];
    let printed = '';
    sandbox.onOutput((_, bytes) => {
      printed += bytes.toString();
    });
    for (const code of [
      'import os; os._exit(7)',
      'import os; os.kill(os.getpid(), 11)',
      'import os; os.abort()',
      'import os; os.kill(os.getpid(), 9)',
    ]) {
      const channel = await sandbox.start('python');
      const exit = new Promise<InterpreterExit>((resolve) => channel.onExit(resolve));
      channel.send(Buffer.from(`${JSON.stringify(code)}\n`));
      exits.push(await exit);
    }
    assert.deepEqual(exits, [
      { exitCode: 7, signal: null },
      { exitCode: null, signal: 'SIGSEGV' },
      { exitCode: null, signal: 'SIGABRT' },
      { exitCode: null, signal: 'SIGKILL' },
    ]);
    assert.equal(printed, '');
  });

  it('keeps last words that an interpreter sent before it ended', async () => {
    const sandbox = await wall.create();
    const channel = await sandbox.start('python');
    const heard: string[] = [];
    channel.onData((bytes) => heard.push(bytes.toString()));
    const exit = new Promise<void>((resolve) => channel.onExit(() => resolve()));
    channel.send(
      Buffer.from(
        `${JSON.stringify("send(b'x' * 300000 + b'last'); import os; os._exit(0)")}\n`.replace(
          'send',
          "__import__('__main__').send",
        ),
      ),
    );
    await exit;
    const text = heard.join('');
    assert.deepEqual([text.length, text.slice(-4)], [300_004, 'last']);
  });

  it('starts all kinds of interpreters side by side, and refuses more than it has places for', async () => {
    const sandbox = await wall.create();
    const python = new Program(sandbox, await sandbox.start('python'));
    const javascript = new Program(sandbox, await sandbox.start('javascript'));
    const bash = new Program(sandbox, await sandbox.start('bash'));
    await python.ask("open('/workspace/shared', 'w').write('from python')");
    assert.equal(
      await javascript.ask("process.getBuiltinModule('fs').readFileSync('/workspace/shared', 'utf8')"),
      'from python',
    );
    assert.equal(await bash.askRaw('grep -q "^from python$" shared\n'), '{"result": 0}');
    await sandbox.start('python');
    await sandbox.start('python');
    await assert.rejects(
      sandbox.start('python'),
      (error) => error instanceof AppError && error.code === 'SANDBOX_FAILED',
    );
    assert.equal(await python.ask('result = 1'), 1);
  });

  it('interrupts one interpreter with its children, and no other', async () => {
    const sandbox = await wall.create();
    const python = new Program(sandbox, await sandbox.start('python'));
    const other = new Program(sandbox, await sandbox.start('python'));
    for (const code of [
      'import time; time.sleep(60)',
      'while True: pass',
      "import subprocess; subprocess.run(['sleep', '60'])",
    ]) {
      const answer = python.ask(code);
      await sleep(100);
      const startedAt = performance.now();
      python.channel.interrupt();
      await assert.rejects(answer, /^Error: interrupted$/);
      assert.equal(performance.now() - startedAt < 1_000, true, code);
    }
    assert.equal(await python.ask('result = 1'), 1);
    assert.equal(await other.ask('result = 2'), 2);
  });

  it('interrupts the command that Bash runs, and keeps Bash', async () => {
    const bash = await wall.start('bash');
    await bash.askRaw('kept=1\n');
    const answer = bash.askRaw('sleep 60\n');
    await sleep(100);
    bash.channel.interrupt();
    assert.equal(await answer, '{"result": 130}');
    assert.equal(await bash.askRaw('test "$kept$interrupted" = 11\n'), '{"result": 0}');
  });

  it('stops reading when asked to, and the program waits', async () => {
    const python = await wall.start('python');
    python.sandbox.pauseOutput();
    let isDone = false;
    const answer = python.ask("import os\nfor _ in range(64): os.write(1, b'x' * 65536)").then(() => {
      isDone = true;
    });
    await sleep(200);
    assert.equal(isDone, false);
    python.sandbox.resumeOutput();
    await answer;
    await sleep(50);
    assert.equal(python.printed.stdout.length, 64 * 65_536);
  });

  it('tells all output before it tells the end', async () => {
    const python = await wall.start('python');
    const end = new Promise<number>((resolve) => python.sandbox.onEnd(() => resolve(python.printed.stdout.length)));
    await python.ask("import os; os.write(1, b'x' * 50000)");
    python.channel.send(Buffer.from(`${JSON.stringify("os.write(1, b'y' * 14000); os.kill(2, 9)")}\n`));
    assert.equal(await end, 64_000);
  });

  it('kills everything, however it hides', async () => {
    const python = await wall.start('python');
    const mark = `86400.${process.pid}`;
    await python.ask(`
import os, signal, subprocess
def hide():
    os.setsid()
    if os.fork():
        os._exit(0)
    for number in range(1, 32):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
for _ in range(43):
    subprocess.Popen(['sleep', '${mark}'], preexec_fn=hide)
`);
    await waitFor(() => commandLines().filter((line) => line.includes(mark)).length === 43);
    let ends = 0;
    python.sandbox.onEnd(() => ends++);
    const startedAt = performance.now();
    await Promise.all([python.sandbox.kill(), python.sandbox.kill()]);
    const tookMs = performance.now() - startedAt;
    assert.deepEqual(
      commandLines().filter((line) => line.includes(mark)),
      [],
    );
    assert.equal(ends, 1);
    // Milliseconds; a machine under load may take longer to run us than to kill them.
    assert.equal(tookMs < 5_000, true, `${tookMs} ms`);
    await python.sandbox.kill();
    await assert.rejects(python.sandbox.start('python'), /The sandbox has ended/);
    assert.deepEqual([python.sandbox.usage().oomKills, python.sandbox.usage().tmpFull], [0, false]);
  });

  it('ends when its first process is killed from inside', async () => {
    const python = await wall.start('python');
    const end = new Promise<void>((resolve) => python.sandbox.onEnd(resolve));
    python.channel.send(Buffer.from(`${JSON.stringify('import os; os.kill(2, 9)')}\n`));
    await end;
    await python.sandbox.kill();
  });

  it('leaves no process, group, file, mount or descriptor behind', async () => {
    await (await wall.start('python')).sandbox.kill();
    await sleep(300);
    const before = traces(wall.directory);
    const sandboxes = await Promise.all(Array.from({ length: 6 }, () => wall.start('bash')));
    for (const { sandbox } of sandboxes) sandbox.onEnd(() => {});
    await Promise.all(sandboxes.map(({ sandbox }) => sandbox.kill()));
    // Once the door for the next sandbox is open again, all is as before.
    await waitFor(() => isDeepStrictEqual(traces(wall.directory), before)).catch(() => {});
    assert.deepEqual(traces(wall.directory), before);
  });

  it('fails closed when the wall cannot be built, and leaves nothing behind', async () => {
    await sleep(300);
    const before = traces(wall.directory);
    await assert.rejects(
      wall.backend.create({
        workspace: join(wall.directory, 'nowhere'),
        output: join(wall.directory, 'nowhere'),
        mounts: [],
        env: {},
        limits: {
          memoryBytes: 1 << 28,
          tmpBytes: 1 << 20,
          shmBytes: 1 << 20,
          workspaceBytes: 1 << 20,
          processes: 9,
          openFiles: 99,
          cpus: 1,
        },
      }),
      (error) => error instanceof AppError && error.code === 'SANDBOX_FAILED',
    );
    // The door that stood open may have been used up.
    await waitFor(() => traces(wall.directory).descriptors <= before.descriptors);
    const after = traces(wall.directory);
    assert.deepEqual(after, {
      ...before,
      descriptors: after.descriptors,
      groups: Math.min(after.groups, before.groups),
    });
  });

  it('ends with the server', async () => {
    const mark = `86401.${process.pid}`;
    const { spawn } = await import('node:child_process');
    const script = `
      import { BackendUnderTest } from ${JSON.stringify(new URL('./under-test.ts', import.meta.url).href)};
      const wall = new BackendUnderTest({ directory: process.argv[1] });
      const bash = await wall.start('bash');
      bash.channel.send(Buffer.from('sleep ${mark} & setsid sleep ${mark} & wait\\n'));
      process.stdout.write('up');
    `;
    const directory = wall.path('killed-server');
    const server = spawn(process.execPath, [...CONDITIONS, '--input-type=module', '--eval', script, directory], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => server.stdout.once('data', resolve));
    await waitFor(() => commandLines().filter((line) => line.includes(mark)).length >= 2);
    server.kill('SIGKILL');
    await waitFor(() => commandLines().every((line) => !line.includes(mark)));
    // The next server removes what the killed one could not.
    const next = new BackendUnderTest({ directory });
    await (await next.create()).kill();
    await waitFor(() => controlGroups().every((name) => !name.includes(`-${server.pid}-`)));
    await next.close();
  });
});

interface Traces {
  readonly descriptors: number;
  readonly groups: number;
  readonly files: readonly string[];
  readonly mounts: number;
  readonly processes: number;
}

/** What a sandbox could leave on the host. Spare pipes come and go. */
function traces(directory: string): Traces {
  return {
    descriptors: readdirSync('/proc/self/fd').length,
    groups: controlGroups().filter((name) => /\/s-\d+$/.test(name) && name.includes(`-${process.pid}-`)).length,
    files: readdirSync(join(directory, 'state/run'), { recursive: true, encoding: 'utf8' }).filter(
      (name) => !/fifo-\d+$/.test(name),
    ),
    mounts: readFileSync('/proc/self/mountinfo', 'latin1').split('\n').length,
    processes: commandLines().filter((line) => line.includes('supervisor.sh') && line.includes(String(process.pid)))
      .length,
  };
}

function controlGroups(): string[] {
  const found: string[] = [];
  for (const root of ['/sys/fs/cgroup', ...safeList('/sys/fs/cgroup').map((name) => `/sys/fs/cgroup/${name}`)])
    collect(root, 6);
  return found;

  function collect(folder: string, depth: number): void {
    for (const name of depth === 0 ? [] : safeList(folder)) {
      if (folder.includes('sallyport-') || name.startsWith('sallyport-')) found.push(join(folder, name));
      collect(join(folder, name), depth - 1);
    }
  }
}

function safeList(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
  } catch {
    return [];
  }
}

function commandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ');
      } catch {
        return ''; // ended meanwhile
      }
    });
}

async function waitFor(isTrue: () => boolean): Promise<void> {
  for (let waits = 0; waits < 200; waits++) {
    if (isTrue()) return;
    await sleep(25);
  }
  assert.fail('it did not become true in 5 s');
}
