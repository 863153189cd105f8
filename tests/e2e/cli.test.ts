import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type CommandResult, sallyport } from '../support/command.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-cli-'));
});
after(() => rm(folder, { recursive: true, force: true }));

const run = (args: readonly string[], rest: { stdin?: string; env?: Record<string, string> } = {}) =>
  sallyport(args, { stateDir: join(folder, 'state'), ...rest });

const cases: ReadonlyArray<readonly [what: string, args: readonly string[], expected: CommandResult, stdin?: string]> =
  [
    ['prints what the program prints', ['run', '-e', 'print(6*7)'], { code: 0, stdout: '42\n', stderr: '' }],
    [
      'prints the value of a last expression',
      ['run', '-l', 'python', '-e', '6*7'],
      { code: 0, stdout: '42\n', stderr: '' },
    ],
    [
      "ends with the program's exit code",
      ['run', '-l', 'bash', '-e', 'echo out; echo err >&2; exit 3'],
      { code: 3, stdout: 'out\n', stderr: 'err\nexit code: 3\n' },
    ],
    [
      'ends with 124 after a timeout',
      ['run', '-l', 'bash', '--timeout', '0.3', '-e', 'echo a; sleep 60'],
      { code: 124, stdout: 'a\n', stderr: 'exit code: 130\nstopped: timeout after 0.3 s\n' },
    ],
    [
      'ends with 128 + n after a signal',
      ['run', '-l', 'python', '-e', 'import os; os.kill(os.getpid(), 9)'],
      { code: 137, stdout: '', stderr: 'exit code: 137 (SIGKILL)\nsession: restarted, variables lost\n' },
    ],
    [
      'ends with 125 when it is refused',
      ['run', '-l', 'klingon', '-e', '1'],
      {
        code: 125,
        stdout: '',
        stderr:
          'error: Unknown language "klingon"\nhint: Use one of: python, javascript, typescript, bash (sallyport languages lists all); or leave "language" out\n',
      },
    ],
    [
      'hands on arguments behind --',
      ['run', '-l', 'python', '-e', 'import sys; print(sys.argv[1:])', '--', '--x', 'a b'],
      { code: 0, stdout: "['--x', 'a b']\n", stderr: '' },
    ],
    ['takes code from standard input', ['run', '-l', 'bash', '-'], { code: 0, stdout: 'hi\n', stderr: '' }, 'echo hi'],
    [
      'checks without running',
      ['run', '-l', 'python', '--check', '-e', 'print(1)'],
      { code: 0, stdout: '', stderr: '' },
    ],
    [
      'says where a check fails',
      ['run', '-l', 'python', '--check', '-e', 'x = 1\ny = = 2'],
      { code: 1, stdout: '', stderr: 'python:2:5: invalid syntax\n' },
    ],
    [
      'names an unknown command',
      ['rum'],
      {
        code: 125,
        stdout: '',
        stderr:
          'error: Unknown command "rum"\nhint: Use one of: serve, run, doctor, languages, detect, sessions, servers, tools, search, call, trust, approvals, audit, auth, savings, bench; sallyport --help tells more\n',
      },
    ],
    [
      'names an unknown option',
      ['run', '--fast', '-e', '1'],
      {
        code: 125,
        stdout: '',
        stderr: "error: Unknown option '--fast'\nhint: sallyport COMMAND --help lists the options\n",
      },
    ],
    [
      'names a file that is not there',
      ['run', 'none.py'],
      { code: 125, stdout: '', stderr: 'error: Cannot read "none.py": ENOENT\n' },
    ],
    [
      'wants some code',
      ['run'],
      {
        code: 125,
        stdout: '',
        stderr: 'error: There is no code to run\nhint: Give it with -e CODE, as a FILE, or on standard input with -\n',
      },
    ],
  ];

describe('sallyport run', () => {
  for (const [what, args, expected, stdin] of cases) {
    it(what, async () => assert.deepEqual(await run(args, stdin === undefined ? {} : { stdin }), expected));
  }

  it('takes a file, and its language from the name', async () => {
    const file = join(folder, 'a.ts');
    await writeFile(file, 'const n: number = 5\nconsole.log(n)\n');
    assert.deepEqual(await run(['run', file]), { code: 0, stdout: '5\n', stderr: '' });
  });

  it('prints one JSON object with --json', async () => {
    const { code, stdout } = await run(['run', '--json', '-l', 'bash', '-e', 'echo out; echo err >&2; exit 3']);
    const { runId, durationMs, peakMemoryBytes, backend, ...rest } = JSON.parse(stdout) as Record<string, unknown>;
    assert.equal(code, 3);
    assert.ok(runId && backend && typeof durationMs === 'number' && peakMemoryBytes !== undefined);
    assert.deepEqual(rest, {
      session: 'default',
      language: 'bash',
      exitCode: 3,
      signal: null,
      stop: null,
      error: null,
      toolCalls: 0,
      tokensSaved: 0,
      stdout: 'out\n',
      stderr: 'err\n',
    });
  });

  it('interrupts the program on Ctrl-C, and shows what it printed', async () => {
    const result = await sallyport(
      ['run', '-l', 'python', '-e', 'import time\nprint("begun", flush=True)\ntime.sleep(60)'],
      {
        stateDir: join(folder, 'state'),
        whileRunning: (child) => child.stdout?.once('data', () => child.kill('SIGINT')),
      },
    );
    assert.deepEqual([result.code, result.stdout], [130, 'begun\n']);
  });

  it('keeps the files of a named session for the next process', async () => {
    await run(['run', '--session', 'work', '-l', 'bash', '-e', 'echo kept > f']);
    assert.deepEqual(await run(['run', '--session', 'work', '-l', 'bash', '-e', 'cat f']), {
      code: 0,
      stdout: 'kept\n',
      stderr: '',
    });
  });

  it('names a bad setting by where it came from', async () => {
    const { code, stderr } = await run(['run', '-e', '1'], { env: { MCP_BRIDGE_MEMORY: 'much' } });
    assert.deepEqual(
      [code, stderr],
      [125, 'error: MCP_BRIDGE_MEMORY must be a size above zero, such as 512m, 1g or 64k, and not "much"\n'],
    );
  });

  it('refuses a wall that does not stand instead of taking another', async () => {
    // With or without an engine on this machine, there is no such image.
    const wall = ['--sandbox', 'podman', '--image', 'localhost/sallyport-test-no-such-image:none'];
    const { code, stdout, stderr } = await run(['run', ...wall, '-e', 'print(1)']);
    assert.deepEqual([code, stdout], [125, '']);
    assert.match(stderr, /^error: [^\n]+\nhint: [^\n]+\n$/m);
  });

  it('refuses a wall weaker than --min-isolation', async () => {
    const { code, stderr } = await run([
      'run',
      '--sandbox',
      'embedded',
      '--min-isolation',
      'container',
      '-e',
      'print(1)',
    ]);
    assert.equal(code, 125);
    assert.match(stderr, /gives isolation "process", and at least "container" is asked for/);
  });
});

describe('sallyport', () => {
  it('teaches with --help', async () => {
    for (const args of [['--help'], ['run', '--help'], ['serve', '--help'], ['doctor', '-h']]) {
      const { code, stdout, stderr } = await run(args);
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, /Usage: sallyport /);
    }
  });

  it('lists the languages, with --json for programs', async () => {
    const reports = JSON.parse((await run(['languages', '--json'])).stdout) as Array<{ id: string; ready: boolean }>;
    assert.deepEqual(
      reports.slice(0, 4).map(({ id, ready }) => [id, ready]),
      [
        ['python', true],
        ['javascript', true],
        ['typescript', true],
        ['bash', true],
      ],
    );
    const { stdout } = await run(['languages']);
    assert.match(stdout, /^✓ python +Python 3/);
    assert.match(stdout, /^✗ applescript +AppleScript exists only on macOS; this is Linux/m);
    assert.match(stdout, /^✗ smalltalk +not installed +Build GNU Smalltalk/m);
  });

  it('prints its version', async () => {
    assert.match((await run(['--version'])).stdout, /^\d+\.\d+\.\d+\n$/);
  });

  it('tells what works on this machine, with --json for programs', async () => {
    const { code, stdout } = await run(['doctor', '--json']);
    const report = JSON.parse(stdout) as {
      walls: Array<{ name: string }>;
      runtimes: Array<{ language: string; ready: boolean }>;
    };
    assert.equal(code, 0);
    assert.deepEqual(
      report.walls.map((wall) => wall.name),
      ['bubblewrap', 'podman', 'docker', 'embedded'],
    );
    assert.deepEqual(
      report.runtimes.map((runtime) => runtime.language),
      ['python', 'javascript', 'bash'],
    );
    assert.match((await run(['doctor'])).stdout, /Walls\n/);
  });
});
