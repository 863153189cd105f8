import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { EngineName } from './engine.ts';
import { explainEngine, explainMissingEngine } from './explain.ts';

const CASES: ReadonlyArray<readonly [engine: EngineName, complaint: string, problem: RegExp, fix: RegExp]> = [
  [
    'docker',
    'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?',
    /^The Docker daemon does not answer/,
    /systemctl start docker/,
  ],
  [
    'docker',
    'permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock: dial unix: connect: permission denied on docker.sock: permission denied',
    /^This user may not talk to the Docker daemon/,
    /--sandbox podman/,
  ],
  [
    'docker',
    'docker: Error response from daemon: write /var/lib/docker/x: no space left on device.',
    /^The disk is full/,
    /docker system df/,
  ],
  [
    'podman',
    'Error: initializing source docker://python:3: pinging container registry registry-1.docker.io: Get "https://x/v2/": dial tcp: lookup registry-1.docker.io: no such host',
    /registry cannot be reached/,
    /podman load/,
  ],
  ['podman', 'Error: python: image not known', /^The image is not on this machine/, /podman pull/],
  [
    'podman',
    'ERRO[0000] cannot find UID/GID for user tester: no subuid ranges found for user "tester" in /etc/subuid',
    /subordinate users/,
    /--add-subuids/,
  ],
  [
    'podman',
    'Cannot connect to Podman. Please verify your connection to the Linux system using `podman system connection list`, or try `podman machine init` and `podman machine start` to manage a new Linux VM',
    /no Podman machine/,
    /podman machine init/,
  ],
  ['podman', 'Error: something new\n', /^something new$/, /podman info/],
  ['docker', '', /without a word/, /docker info/],
];

for (const [engine, complaint, problem, fix] of CASES) {
  it(`explainEngine() finds a way out of ${engine}: ${complaint.slice(0, 50)}`, () => {
    const answer = explainEngine(engine, complaint);
    assert.match(answer.problem, problem);
    assert.match(answer.fix, fix);
  });
}

it('explainMissingEngine() says how to install it', () => {
  assert.match(explainMissingEngine('podman').fix, /apt install podman/);
});
