/** Why bubblewrap does not work on a machine, and the exact way to change that. Pure: facts in, sentences out. */

export interface MachineFacts {
  readonly platform: string;
  /** Text of /proc/version. */
  readonly kernel: string;
  /** ID and ID_LIKE of /etc/os-release. */
  readonly distributions: readonly string[];
  readonly isContainer: boolean;
  /** Values of /proc/sys files; undefined where the kernel does not have them. */
  readonly apparmorRestriction: string | undefined;
  readonly unprivilegedClone: string | undefined;
  readonly maxUserNamespaces: string | undefined;
}

export interface Explanation {
  readonly problem: string;
  readonly fix: string;
}

/** The first release with `--size`, without which /tmp could take half of the machine's memory. */
export const OLDEST_VERSION = '0.7.0';

const INSTALL: ReadonlyArray<readonly [distribution: string, command: string]> = [
  ['debian', 'sudo apt install bubblewrap'],
  ['ubuntu', 'sudo apt install bubblewrap'],
  ['fedora', 'sudo dnf install bubblewrap'],
  ['rhel', 'sudo dnf install bubblewrap'],
  ['arch', 'sudo pacman -S bubblewrap'],
  ['alpine', 'sudo apk add bubblewrap'],
  ['suse', 'sudo zypper install bubblewrap'],
  ['opensuse', 'sudo zypper install bubblewrap'],
  ['nixos', 'nix-env -iA nixos.bubblewrap'],
];

/** Lets bwrap, and nothing else, make user namespaces on an Ubuntu that restricts them. */
const APPARMOR_PROFILE = [
  "sudo tee /etc/apparmor.d/bwrap >/dev/null <<'END'",
  'abi <abi/4.0>,',
  'include <tunables/global>',
  'profile bwrap /usr/bin/bwrap flags=(unconfined) {',
  '  userns,',
  '}',
  'END',
  'sudo systemctl reload apparmor',
].join('\n');

export function explainMissing({ distributions }: MachineFacts): Explanation {
  const command = INSTALL.find(([distribution]) => distributions.includes(distribution))?.[1];
  return {
    problem: 'bubblewrap is not installed',
    fix: command ?? 'Install the package "bubblewrap" of your distribution',
  };
}

export function explainTooOld(version: string, facts: MachineFacts): Explanation {
  return {
    problem: `bubblewrap ${version} is too old: it cannot bound the size of /tmp, ${OLDEST_VERSION} can`,
    fix: `Upgrade it (${explainMissing(facts).fix} on a newer release), or use --sandbox embedded`,
  };
}

/** `complaint` is what the tools on the way said. */
export function explainFailure(complaint: string, facts: MachineFacts): Explanation {
  return (
    reasons(complaint, facts).find(({ when }) => when) ?? {
      problem: complaint,
      fix: 'Run `sallyport doctor --json` and report what it says',
    }
  );
}

function reasons(complaint: string, facts: MachineFacts): Array<Explanation & { readonly when: boolean }> {
  const isRefused = /Operation not permitted|Permission denied|No permissions/i.test(complaint);
  const isNamespace = /namespace|uid map|unshare|RTM_NEWADDR|loopback/i.test(complaint) && isRefused;
  return [
    {
      when: /Microsoft\b/.test(facts.kernel) && !/WSL2/i.test(facts.kernel),
      problem: 'This is WSL 1, which has no namespaces',
      fix: 'In Windows: wsl --set-version <distribution> 2',
    },
    {
      when: /Can't mount proc|mount proc on/i.test(complaint),
      problem: 'A new /proc may not be mounted in this container',
      fix: 'Start the container with --security-opt systempaths=unconfined --security-opt seccomp=unconfined --security-opt apparmor=unconfined, or use --sandbox embedded',
    },
    {
      when: facts.maxUserNamespaces === '0' || /No space left on device/.test(complaint),
      problem: 'User namespaces are switched off (user.max_user_namespaces)',
      fix: 'sudo sysctl -w user.max_user_namespaces=15000',
    },
    {
      when: isNamespace && facts.unprivilegedClone === '0',
      problem: 'User namespaces are for root alone on this kernel (kernel.unprivileged_userns_clone)',
      fix: 'sudo sysctl -w kernel.unprivileged_userns_clone=1',
    },
    {
      when: isNamespace && facts.apparmorRestriction === '1',
      problem: 'AppArmor restricts user namespaces (kernel.apparmor_restrict_unprivileged_userns)',
      fix: `Allow them for bwrap:\n${APPARMOR_PROFILE}`,
    },
    {
      when: isNamespace && facts.isContainer,
      problem: 'This container may not make namespaces',
      fix: 'Start the container with --cap-add SYS_ADMIN --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined, or use --sandbox embedded',
    },
    {
      when: /PR_SET_SECCOMP|seccomp/i.test(complaint),
      problem: `The kernel does not take a system-call filter: ${complaint}`,
      fix: 'Use a kernel with CONFIG_SECCOMP_FILTER, or --sandbox embedded',
    },
    {
      when: isNamespace,
      problem: `Namespaces may not be made here: ${complaint}`,
      fix: 'Allow unprivileged user namespaces on this machine, or use --sandbox embedded',
    },
  ];
}

/** Whether a version is at least another, both as `1.2.3`. */
export function isAtLeast(version: string, oldest: string): boolean {
  const [have, want] = [version, oldest].map((text) => text.split('.').map(Number)) as [number[], number[]];
  for (const [index, number] of want.entries()) {
    const difference = (have[index] ?? 0) - number;
    if (difference !== 0) return difference > 0;
  }
  return true;
}
