import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { explainFailure, explainMissing, explainTooOld, isAtLeast, type MachineFacts } from './explain.ts';

const plain: MachineFacts = {
  platform: 'linux',
  kernel: 'Linux version 6.8.0-generic',
  distributions: ['ubuntu', 'debian'],
  isContainer: false,
  apparmorRestriction: undefined,
  unprivilegedClone: undefined,
  maxUserNamespaces: '15000',
};

const UID_MAP = 'bwrap: setting up uid map: Permission denied';
const NO_NAMESPACE = 'bwrap: Creating new namespace failed: Operation not permitted';

const cases: ReadonlyArray<readonly [problem: string, complaint: string, facts: Partial<MachineFacts>]> = [
  [
    'AppArmor restricts user namespaces (kernel.apparmor_restrict_unprivileged_userns)',
    UID_MAP,
    { apparmorRestriction: '1' },
  ],
  [
    'AppArmor restricts user namespaces (kernel.apparmor_restrict_unprivileged_userns)',
    'bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted',
    { apparmorRestriction: '1' },
  ],
  [
    'User namespaces are for root alone on this kernel (kernel.unprivileged_userns_clone)',
    NO_NAMESPACE,
    { unprivilegedClone: '0' },
  ],
  [
    'User namespaces are switched off (user.max_user_namespaces)',
    'bwrap: Creating new namespace failed: No space left on device',
    {},
  ],
  ['User namespaces are switched off (user.max_user_namespaces)', NO_NAMESPACE, { maxUserNamespaces: '0' }],
  ['This container may not make namespaces', NO_NAMESPACE, { isContainer: true }],
  ['This container may not make namespaces', 'unshare: unshare failed: Operation not permitted', { isContainer: true }],
  [
    'A new /proc may not be mounted in this container',
    "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
    { isContainer: true },
  ],
  ['This is WSL 1, which has no namespaces', NO_NAMESPACE, { kernel: 'Linux version 4.4.0-19041-Microsoft' }],
  [
    `Namespaces may not be made here: ${NO_NAMESPACE}`,
    NO_NAMESPACE,
    { kernel: 'Linux version 5.15-microsoft-standard-WSL2' },
  ],
  ['something else', 'something else', {}],
];

describe('explainFailure()', () => {
  for (const [problem, complaint, facts] of cases) {
    it(`reads ${JSON.stringify(complaint)} with ${JSON.stringify(facts)}`, () => {
      assert.equal(explainFailure(complaint, { ...plain, ...facts }).problem, problem);
    });
  }
});

it('explainMissing() names the command of the distribution', () => {
  assert.deepEqual(explainMissing({ ...plain, distributions: ['rocky', 'rhel', 'fedora'] }), {
    problem: 'bubblewrap is not installed',
    fix: 'sudo dnf install bubblewrap',
  });
  assert.equal(
    explainMissing({ ...plain, distributions: [] }).fix,
    'Install the package "bubblewrap" of your distribution',
  );
});

it('explainTooOld() says what is missing', () => {
  assert.deepEqual(explainTooOld('0.6.1', plain), {
    problem: 'bubblewrap 0.6.1 is too old: it cannot bound the size of /tmp, 0.7.0 can',
    fix: 'Upgrade it (sudo apt install bubblewrap on a newer release), or use --sandbox embedded',
  });
});

it('isAtLeast() compares by number', () => {
  const verdicts = (['0.7.0', '0.6.9', '0.10.0', '1.0', '0.7'] as const).map((version) => isAtLeast(version, '0.7.0'));
  assert.deepEqual(verdicts, [true, false, true, true, true]);
});
