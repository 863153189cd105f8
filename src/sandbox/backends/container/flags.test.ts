import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ContainerWall, runArguments } from './flags.ts';

const MIB = 1024 * 1024;
const WALL: ContainerWall = {
  engine: 'docker',
  needs: { runtime: undefined, groups: 'all' },
  name: 'sallyport-1',
  labels: { sallyport: '1' },
  image: 'python:slim',
  user: { uid: 65534, gid: 65534 },
  keepsUser: false,
  binds: [
    { source: '/state/w', target: '/workspace', mode: 'rw' },
    { source: '/a,"b"', target: '/workspace/a', mode: 'ro' },
  ],
  limits: {
    memoryBytes: 512 * MIB,
    tmpBytes: 256 * MIB,
    shmBytes: 64 * MIB,
    workspaceBytes: 1024 * MIB,
    processes: 128,
    openFiles: 1024,
    cpus: 2,
  },
  hardLimits: { openFiles: 512, processes: 30_000 },
  tmpExecutes: false,
  hasSelinux: false,
  command: ['/bin/sh', 'gate.sh'],
  detached: true,
};

describe('runArguments()', () => {
  it('is the whole wall, in order', () => {
    assert.equal(
      runArguments(WALL).join('|').replaceAll('|--', '\n--'),
      [
        'run',
        '--rm',
        '--detach',
        '--name|sallyport-1',
        '--label|sallyport=1',
        '--pull=never',
        '--network|none',
        '--read-only',
        '--cap-drop|ALL',
        '--security-opt|no-new-privileges',
        '--user|65534:65534',
        '--ipc|private',
        '--hostname|sallyport',
        '--workdir|/',
        '--ulimit|nofile=512:512',
        '--ulimit|nproc=30000:30000',
        '--ulimit|core=0:0',
        '--memory|872415232b',
        '--memory-swap|872415232b',
        '--pids-limit|137',
        '--cpus|2',
        '--shm-size|67108864b',
        '--tmpfs|/tmp:rw,size=268435456,mode=1777,nosuid,nodev,noexec',
        '--mount|type=bind,source=/state/w,target=/workspace,bind-propagation=rprivate',
        '--mount|type=bind,"source=/a,""b""",target=/workspace/a,readonly,bind-propagation=rprivate',
        ...['HTTP', 'HTTPS', 'FTP', 'NO', 'ALL'].flatMap((name) => [
          `--env|${name}_PROXY=`,
          `--env|${name.toLowerCase()}_proxy=`,
        ]),
        '--log-driver|none',
        '--entrypoint|/bin/sh|python:slim|gate.sh',
      ].join('\n'),
    );
  });

  it('keeps the host’s own files out where Podman would bring them', () => {
    const words = runArguments({ ...WALL, engine: 'podman' });
    for (const word of ['--http-proxy=false', '--no-hosts', '--read-only-tmpfs=false']) assert.ok(words.includes(word));
  });

  it('maps the user of a rootless engine, and takes the runtime that works', () => {
    const needs = { runtime: 'runc', groups: 'none' } as const;
    const words = runArguments({ ...WALL, engine: 'podman', keepsUser: true, needs }).join(' ');
    assert.match(words, /^--runtime runc run /);
    assert.match(words, /--userns keep-id:uid=65534,gid=65534/);
    assert.match(words, /--ulimit nproc=137:137/);
    assert.doesNotMatch(words, /--memory|--cpus|--pids-limit/);
  });

  it('leaves programs in /tmp alone where an image has compilers', () => {
    assert.match(runArguments({ ...WALL, tmpExecutes: true }).join(' '), /nodev,exec/);
  });
});
