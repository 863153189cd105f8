import assert from 'node:assert/strict';
import { existsSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { BackendUnderTest, type Program, TEST_LIMITS } from './under-test.ts';

/** Where Haskell keeps its list of packages, on machines that have it. */
const HASKELL = ['/var/lib/ghc'].filter((path) => existsSync(path));

/** Runs each statement; `ok`, or the name of its errno, or of its exception. */
const TRY = `
import errno, os, socket
def attempt(action):
    try:
        action()
        return 'ok'
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error.errno))
    except BaseException as error:
        return type(error).__name__
def write(path):
    with open(path, 'w') as file:
        file.write('x')
`;

describe('the bubblewrap wall', () => {
  let wall: BackendUnderTest;
  let python: Program;

  before(async () => {
    wall = new BackendUnderTest();
    python = await wall.start('python', { env: { GREETING: 'hello', HOME: '/elsewhere' } });
    await python.ask(TRY);
  });
  after(() => wall.close());

  it('makes the program an ordinary user without groups', async () => {
    const identity = await python.ask(
      'import pwd, grp; me = pwd.getpwuid(os.getuid())\n' +
        'result = [os.getresuid(), os.getresgid(), os.getgroups(), me.pw_name, me.pw_dir, grp.getgrgid(os.getgid()).gr_name]',
    );
    assert.deepEqual(identity, [[1000, 1000, 1000], [1000, 1000, 1000], [], 'user', '/tmp', 'user']);
  });

  it('is not root outside either', async () => {
    await python.ask("write('/workspace/mine')");
    const { uid } = statSync(join(wall.directory, 'state/sessions/1/workspace/mine'));
    const self = process.getuid?.() ?? 0;
    assert.equal(self === 0 ? uid >= 700_000_000 : uid === self, true, `owner outside is ${uid}`);
  });

  it('gives no capabilities, no new privileges, and filters system calls', async () => {
    const status = await python.ask(
      "result = {name: value.strip() for name, value in (line.split(':', 1) for line in open('/proc/self/status')) " +
        "if name.startswith('Cap') or name in ('NoNewPrivs', 'Seccomp', 'Seccomp_filters')}",
    );
    const none = '0000000000000000';
    assert.deepEqual(status, {
      CapInh: none,
      CapPrm: none,
      CapEff: none,
      CapBnd: none,
      CapAmb: none,
      NoNewPrivs: '1',
      Seccomp: '2',
      Seccomp_filters: '1',
    });
  });

  it('has namespaces of its own', async () => {
    const names = ['cgroup', 'ipc', 'mnt', 'net', 'pid', 'user', 'uts'];
    const inside = (await python.ask(
      `result = {n: os.readlink('/proc/self/ns/' + n) for n in ${JSON.stringify(names)}}`,
    )) as Record<string, string>;
    const shared = names.filter((name) => inside[name] === readlinkSync(`/proc/self/ns/${name}`));
    assert.deepEqual(shared, []);
    assert.equal(await python.ask('result = os.uname().nodename'), 'sallyport');
    assert.equal(await python.ask("result = open('/proc/self/cgroup').read().split(':')[-1].strip()"), '/');
  });

  it('shows the environment of the plan and its own, and nothing of the host', async () => {
    assert.deepEqual(await python.ask('result = dict(os.environ)'), {
      GREETING: 'hello',
      PATH: '/run/sallyport/bin:/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin',
      HOME: '/tmp',
      USER: 'user',
      LOGNAME: 'user',
      SHELL: '/bin/bash',
      LANG: 'C.UTF-8',
      TZ: Intl.DateTimeFormat().resolvedOptions().timeZone,
      TMPDIR: '/tmp',
      TERM: 'dumb',
      PWD: '/workspace',
      PYTHONDONTWRITEBYTECODE: '1',
      PYTHONUNBUFFERED: '1',
      MPLBACKEND: 'Agg',
      MPLCONFIGDIR: '/tmp/.matplotlib',
      SALLYPORT_CONTROL_FD: '4',
    });
  });

  it('shows no other processes, and no host paths in their command lines and environments', async () => {
    const seen = await python.ask(
      "read = lambda path: open(path, 'rb').read().decode().rstrip(chr(0)).split(chr(0))\n" +
        "result = [read(f'/proc/{pid}/cmdline') for pid in sorted(map(int, filter(str.isdigit, os.listdir('/proc'))))]",
    );
    const supervisor = ['/bin/sh', '/run/sallyport/inside/supervisor.sh', 'supervise'];
    const interpreter = ['/usr/bin/python3', '-I', '-B', '-X', 'utf8', '/run/sallyport/inside/python/kernel.py'];
    const [init, second, ...rest] = seen as string[][];
    assert.deepEqual(init?.slice(1), ['--args', '10', '--', ...supervisor]);
    assert.deepEqual(second, supervisor);
    assert.deepEqual(rest, [
      ['/bin/sh', '/run/sallyport/inside/supervisor.sh', 'wait', '4', ...interpreter],
      interpreter,
    ]);
    // A shell on the way adds where it was.
    assert.deepEqual(await python.ask("result = [word for word in read('/proc/1/environ') if word != 'PWD=/']"), [
      'PATH=/usr/sbin:/usr/bin:/sbin:/bin',
    ]);
  });

  for (const [interpreter, question] of [
    ['python', "import os; result = sorted(map(int, os.listdir('/proc/self/fd')))"],
    ['javascript', "fs.readdirSync('/proc/self/fd').map(Number)"],
  ] as const) {
    it(`leaves ${interpreter} with its standard streams and its control channel alone`, async () => {
      const sandbox = await wall.start(interpreter);
      const links = (await sandbox.ask(
        interpreter === 'python'
          ? `${question}\nresult = [os.readlink(f'/proc/self/fd/{fd}') for fd in result if os.path.exists(f'/proc/self/fd/{fd}')]`
          : `const fs = process.getBuiltinModule('fs'); ${question}.flatMap((fd) => { try { return [fs.readlinkSync('/proc/self/fd/' + fd)] } catch { return [] } })`,
      )) as string[];
      // Node has event queues of its own, and a second look at /dev/null.
      const foreign = links
        .filter((link) => !/^(anon_inode:|pipe:|\/dev\/null$)/.test(link))
        .map((link) => link.replace(/\d+ \(deleted\)$|\[\d+\]$/, ''));
      const fifo = join(wall.directory, 'state/run/');
      assert.deepEqual(
        foreign.map((link) => (link.startsWith(fifo) ? 'fifo' : link)),
        ['fifo', 'fifo', 'socket:'],
      );
    });
  }

  it('leaves Bash and its children with their standard streams alone', async () => {
    const bash = await wall.start('bash');
    await bash.askRaw('ls /proc/self/fd >list; wc -l <list\n');
    assert.equal(await bash.askRaw('read -r -a fds <<<$(ls -C /proc/$$/fd); echo "${fds[@]}"\n'), '{"result": 0}');
    await bash.sandbox.kill();
    // Of the child: 0, 1, 2, the folder that it lists, and the channel that the stand-in does not hide from it.
    assert.equal(bash.printed.stdout.split('\n')[0], '5');
  });

  it('has this mount table and no other', async () => {
    const mounts = (await python.ask(
      "result = [[f[4], f[5].split(',')[0], f[f.index('-') + 1]] for f in (line.split() for line in open('/proc/self/mountinfo'))]",
    )) as Array<[string, string, string]>;
    const own = mounts
      .filter(([path]) => !path.startsWith('/etc/'))
      .map(([path, mode, type]) => `${mode} ${path} ${/^(?:tmpfs|proc|devpts)$/.test(type) ? type : '-'}`);
    const devices = ['full', 'null', 'random', 'tty', 'urandom', 'zero'].map((name) => `rw /dev/${name} -`);
    assert.deepEqual(
      own.map((line) => line.replace(/ devtmpfs$/, ' -')).sort(),
      [
        'ro / tmpfs',
        'ro /dev tmpfs',
        'ro /output -',
        'ro /run/sallyport/bin/node -',
        'ro /run/sallyport/inside -',
        'ro /usr -',
        ...HASKELL.map((path) => `ro ${path} -`),
        'rw /dev/pts devpts',
        'rw /dev/shm tmpfs',
        'rw /proc proc',
        'rw /tmp tmpfs',
        'rw /workspace -',
        ...devices,
      ].sort(),
    );
    assert.deepEqual(
      mounts.filter(([path, mode]) => path.startsWith('/etc/') && mode !== 'ro'),
      [],
    );
    assert.deepEqual(await python.ask("result = sorted(os.listdir('/'))"), [
      ...[
        'bin',
        'dev',
        'etc',
        'lib',
        ...['lib32', 'lib64', 'libx32'].filter(isOnHost),
        'output',
        'proc',
        'run',
        'sbin',
      ],
      ...['tmp', 'usr', ...HASKELL.map(() => 'var'), 'workspace'],
    ]);
    assert.deepEqual(await python.ask("result = [os.listdir('/run'), sorted(os.listdir('/run/sallyport'))]"), [
      ['sallyport'],
      ['bin', 'inside'],
    ]);
  });

  it('is writable in the workspace and in scratch folders alone', async () => {
    const verdicts = {
      '/workspace/x': 'ok',
      '/tmp/x': 'ok',
      '/dev/shm/x': 'ok',
      '/x': 'EROFS',
      '/usr/x': 'EROFS',
      '/usr/bin/python3': 'EROFS',
      '/etc/passwd': 'EROFS',
      '/etc/x': 'EROFS',
      '/dev/x': 'EROFS',
      '/run/x': 'EROFS',
      '/run/sallyport/inside/supervisor.sh': 'EROFS',
      '/run/sallyport/bin/node': 'EROFS',
      '/output/x': 'EROFS',
      '/proc/sys/kernel/core_pattern': 'EACCES',
      '/proc/sys/kernel/hostname': 'EACCES',
    };
    const paths = JSON.stringify(Object.keys(verdicts));
    assert.deepEqual(await python.ask(`result = {path: attempt(lambda: write(path)) for path in ${paths}}`), verdicts);
    assert.notEqual(await python.ask("result = attempt(lambda: write('/proc/sysrq-trigger'))"), 'ok');
    // It may make itself the first to go when memory is short, never the last.
    assert.equal(await python.ask("result = open('/proc/self/oom_score_adj').read().strip()"), '500');
    assert.equal(
      await python.ask("result = attempt(lambda: os.write(os.open('/proc/self/oom_score_adj', os.O_WRONLY), b'-1'))"),
      'EACCES',
    );
  });

  it('shows what earlier runs printed, to read', async () => {
    writeFileSync(join(wall.directory, 'state/sessions/1/output/run'), 'text', { mode: 0o644 });
    assert.equal(await python.ask("result = open('/output/run').read()"), 'text');
    assert.equal(await python.ask("result = attempt(lambda: write('/output/run'))"), 'EROFS');
  });

  it('has no network but its own loopback', async () => {
    const verdicts = await python.ask(`
import threading
def connect(host, family=socket.AF_INET):
    s = socket.socket(family); s.settimeout(2); s.connect((host, 80))
def resolve():
    socket.getaddrinfo('example.com', 80)
listener = socket.create_server(('127.0.0.1', 0))
result = {
    'interfaces': [name for _, name in socket.if_nameindex()],
    'loopback': attempt(lambda: socket.create_connection(listener.getsockname())),
    'internet': attempt(lambda: connect('1.1.1.1')),
    'internet6': attempt(lambda: connect('2606:4700::1111', socket.AF_INET6)),
    'metadata': attempt(lambda: connect('169.254.169.254')),
    'name': attempt(resolve),
}`);
    assert.deepEqual(verdicts, {
      interfaces: ['lo'],
      loopback: 'ok',
      internet: 'ENETUNREACH',
      internet6: 'ENETUNREACH',
      metadata: 'ENETUNREACH',
      name: (verdicts as { name: string }).name,
    });
    assert.notEqual((verdicts as { name: string }).name, 'ok');
  });

  it("cannot reach the host's abstract sockets", async () => {
    const server = createServer();
    const name = `sallyport-test-${process.pid}`;
    await new Promise<void>((resolve) => server.listen(`\0${name}`, resolve));
    try {
      const code = `result = attempt(lambda: socket.socket(socket.AF_UNIX).connect(chr(0) + '${name}'))`;
      assert.equal(await python.ask(code), 'ECONNREFUSED');
    } finally {
      server.close();
    }
  });

  it('runs the tools that programs expect', async () => {
    const bash = await wall.start('bash');
    for (const command of [
      'node --version',
      'python3 -c "import ssl, sqlite3, ctypes"',
      'perl -e 1',
      'ls -la / >/tmp/list',
      'echo direct >/dev/stdout',
    ]) {
      assert.equal(await bash.askRaw(`${command}\n`), '{"result": 0}', command);
    }
    await bash.sandbox.kill();
    assert.equal(bash.printed.stdout, `${process.version}\ndirect\n`);
    assert.equal(bash.printed.stderr, '');
  });

  it('bounds what one process may do', async () => {
    const limits = await python.ask(
      "import resource as r; result = {n: r.getrlimit(getattr(r, 'RLIMIT_' + n)) for n in ('CORE', 'FSIZE', 'NOFILE')}",
    );
    assert.deepEqual(limits, {
      CORE: [0, 0],
      FSIZE: [TEST_LIMITS.workspaceBytes, TEST_LIMITS.workspaceBytes],
      NOFILE: [TEST_LIMITS.openFiles, TEST_LIMITS.openFiles],
    });
  });
});

function isOnHost(name: string): boolean {
  return statSync(`/${name}`, { throwIfNoEntry: false }) !== undefined;
}
