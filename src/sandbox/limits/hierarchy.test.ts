import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseHierarchies } from './hierarchy.ts';

it('parseHierarchies() finds the unified hierarchy of a desktop', () => {
  assert.deepEqual(
    parseHierarchies(
      '0::/user.slice/user-1000.slice/user@1000.service/app.slice/term.scope\n',
      '34 24 0:29 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate\n',
    ),
    {
      unified: {
        mount: '/sys/fs/cgroup',
        folder: '/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice/term.scope',
      },
      legacy: new Map(),
    },
  );
});

it('parseHierarchies() finds version 1 controllers, mounted together, beside a unified one', () => {
  assert.deepEqual(
    parseHierarchies(
      '4:memory:/a/b\n2:cpu,cpuacct:/\n1:name=systemd:/\n0::/\n',
      [
        '40 30 0:35 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct',
        '41 30 0:36 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory',
        '42 30 0:37 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw',
      ].join('\n'),
    ),
    {
      unified: { mount: '/sys/fs/cgroup/unified', folder: '/sys/fs/cgroup/unified' },
      legacy: new Map([
        ['memory', '/sys/fs/cgroup/memory/a/b'],
        ['cpu', '/sys/fs/cgroup/cpu,cpuacct'],
        ['cpuacct', '/sys/fs/cgroup/cpu,cpuacct'],
      ]),
    },
  );
});

it('parseHierarchies() starts from the part of the hierarchy that a container has mounted', () => {
  assert.deepEqual(
    parseHierarchies(
      '4:memory:/docker/abc/x\n3:pids:/elsewhere\n',
      [
        '41 30 0:36 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory',
        '42 30 0:37 /docker/abc /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids',
      ].join('\n'),
    ),
    { unified: undefined, legacy: new Map([['memory', '/sys/fs/cgroup/memory/x']]) },
  );
});
