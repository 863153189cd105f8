/** All that a program finds when it starts, against lists that were read by a person: mounts, descriptors, environment, /proc. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { answerOf, type Connection, callRunCode, connect } from '../support/client.ts';
import { availableWalls } from '../support/walls.ts';

/** `ro /usr -`: how it is mounted, where, and the file system where that does not depend on the host. */
const MOUNTS = [
  'ro / tmpfs',
  'ro /dev tmpfs',
  ...['full', 'null', 'random', 'tty', 'urandom', 'zero'].map((name) => `rw /dev/${name} -`),
  'ro /output -',
  'ro /run/sallyport/bin/node -',
  'ro /run/sallyport/inside -',
  'ro /usr -',
  'rw /dev/pts devpts',
  'rw /dev/shm tmpfs',
  'rw /proc proc',
  'rw /tmp tmpfs',
  'rw /workspace -',
];
/** Below these a host may have more, read-only: what programs look up, and runtimes outside of /usr. */
const MORE_READ_ONLY =
  /^ro (?:\/etc\/|\/nix\/|\/gnu\/|\/(?:bin|sbin|lib\w*)|\/opt\/|\/root\/|\/home\/|\/var\/lib\/|\/usr\/|\/run\/sallyport\/)/;

const ENVIRONMENT = [
  ...['HOME', 'LANG', 'LOGNAME', 'MPLBACKEND', 'MPLCONFIGDIR', 'PATH', 'PWD', 'PYTHONDONTWRITEBYTECODE'],
  ...['PYTHONUNBUFFERED', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER'],
];
/** Added for the hatch and the interpreters of a session; without secrets, and checked to hold none. */
const OWN_VARIABLES = /^(?:SALLYPORT_\w+|NODE_PATH|PYTHONPATH)$/;

const LOOK = `
import json, os
mounts = []
for line in open('/proc/self/mountinfo'):
    f = line.split()
    mounts.append([f[5].split(',')[0], f[4], f[f.index('-') + 1]])
links = []
for fd in os.listdir('/proc/self/fd'):
    try: links.append(os.readlink('/proc/self/fd/' + fd))
    except OSError: pass
pids = {pid: open(f'/proc/{pid}/comm').read().strip() for pid in os.listdir('/proc') if pid.isdigit()}
print(json.dumps({'mounts': mounts, 'links': links, 'env': dict(os.environ), 'pids': pids, 'root': sorted(os.listdir('/')), 'uid': os.getuid()}))
`;

interface Found {
  readonly mounts: ReadonlyArray<readonly [mode: string, path: string, type: string]>;
  readonly links: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly pids: Readonly<Record<string, string>>;
  readonly root: readonly string[];
  readonly uid: number;
}

const SECRET = 'canary-inventory';
const walls = await availableWalls();
const skip = walls.includes('bubblewrap') ? false : 'bubblewrap does not work here';

describe('what a program finds behind bubblewrap', { skip }, () => {
  let connection: Connection;
  let found: Found;
  before(async () => {
    // The programs of a system alone: npm adds folders with more of them, which would be shown too.
    const env = { API_TOKEN: SECRET, PATH: '/usr/local/bin:/usr/bin:/bin' };
    connection = await connect({ flags: ['--sandbox', 'bubblewrap'], env });
    const answer = answerOf(
      await callRunCode(connection.client, { code: LOOK, language: 'python', session: 'inventory' }),
    );
    found = JSON.parse(answer.out) as Found;
  });
  after(() => connection[Symbol.asyncDispose]());

  it('has these mounts and no others', () => {
    const lines = found.mounts.map(
      ([mode, path, type]) => `${mode} ${path} ${/^(?:tmpfs|proc|devpts)$/.test(type) ? type : '-'}`,
    );
    const own = lines.filter((line) => MOUNTS.includes(line));
    assert.deepEqual(own.sort(), [...MOUNTS].sort());
    assert.deepEqual(
      lines.filter((line) => !MOUNTS.includes(line) && !MORE_READ_ONLY.test(line)),
      [],
    );
  });

  it('has its standard streams, its channel and nothing of the host open', () => {
    const foreign = found.links.filter(
      (link) => !/^(?:pipe:|socket:|anon_inode:|\/dev\/null$|\/proc\/\d+\/fd$)/.test(link),
    );
    // The two streams are pipes with a name that was removed at once.
    const streams = foreign.filter((link) => / \(deleted\)$/.test(link) && /\/fifo-\d+/.test(link));
    assert.deepEqual(
      foreign.filter((link) => !streams.includes(link)),
      [],
    );
  });

  it('has this environment, and no secret in it', () => {
    const names = Object.keys(found.env).filter((name) => !OWN_VARIABLES.test(name));
    assert.deepEqual(names.sort(), ENVIRONMENT);
    assert.ok(!JSON.stringify(found.env).includes(SECRET));
  });

  it('sees its own processes alone', () => {
    assert.deepEqual(
      Object.values(found.pids).filter((name) => !/^(?:bwrap|sh|dash|bash|python[\d.]*|node|MainThread)$/.test(name)),
      [],
    );
    assert.ok(Object.keys(found.pids).length <= 8, JSON.stringify(found.pids));
  });

  it('sees these folders, and is nobody', () => {
    const known = [
      'bin',
      'dev',
      'etc',
      'lib',
      'lib32',
      'lib64',
      'libx32',
      'output',
      'proc',
      'run',
      'sbin',
      'tmp',
      'usr',
      'workspace',
    ];
    // Runtimes outside of /usr are shown where they are on the host; a link leads to packages that programs declare.
    const runtimes = ['home', 'nix', 'gnu', 'opt', 'root', 'var', 'node_modules'];
    assert.deepEqual(
      found.root.filter((name) => ![...known, ...runtimes].includes(name)),
      [],
    );
    assert.notEqual(found.uid, 0);
  });
});
