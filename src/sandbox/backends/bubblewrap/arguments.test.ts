import assert from 'node:assert/strict';
import { it } from 'node:test';
import { bubblewrapArguments } from './arguments.ts';

it('bubblewrapArguments() is the whole wall, in order', () => {
  const args = bubblewrapArguments({
    entries: [
      { kind: 'bind', source: '/usr', target: '/usr', mode: 'ro' },
      { kind: 'symlink', target: 'usr/bin', path: '/bin' },
      { kind: 'bind', source: '/state/w', target: '/workspace', mode: 'rw' },
      { kind: 'cover', path: '/workspace/home/state' },
    ],
    tmpBytes: 256,
    shmBytes: 64,
    env: { HOME: '/tmp', GREETING: 'hello you' },
    processLimits: { dataBytes: 1024 * 1024, fileBytes: 1025, openFiles: 64, processes: undefined },
    canDisableUserns: true,
  });
  assert.equal(
    args.join('|').replaceAll('|--', '\n--'),
    [
      '--unshare-all',
      '--unshare-user',
      '--disable-userns',
      '--die-with-parent',
      '--new-session',
      '--cap-drop|ALL',
      '--uid|1000',
      '--gid|1000',
      '--hostname|sallyport',
      '--seccomp|11',
      '--json-status-fd|12',
      '--proc|/proc',
      '--dev|/dev',
      '--size|64',
      '--perms|1777',
      '--tmpfs|/dev/shm',
      '--remount-ro|/dev',
      '--size|256',
      '--perms|1777',
      '--tmpfs|/tmp',
      '--ro-bind|/usr|/usr',
      '--symlink|usr/bin|/bin',
      '--bind|/state/w|/workspace',
      '--perms|0555',
      '--tmpfs|/workspace/home/state',
      '--remount-ro|/workspace/home/state',
      '--remount-ro|/',
      '--chdir|/workspace',
      '--clearenv',
      '--setenv|HOME|/tmp',
      '--setenv|GREETING|hello you',
      '--setenv|SALLYPORT_LIMITS|1024 3 64 0',
    ].join('\n'),
  );
});

it('bubblewrapArguments() leaves out what an older bwrap does not know', () => {
  const processLimits = { dataBytes: 1, fileBytes: 1, openFiles: 1, processes: 7 };
  const wall = { entries: [], tmpBytes: 1, shmBytes: 1, env: {}, processLimits, canDisableUserns: false };
  assert.equal(bubblewrapArguments(wall).includes('--disable-userns'), false);
});
