import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { capture } from '../setup/command.mjs';
import { showProgress } from '../setup/progress.mjs';

/** What the tests of the wall need from the system. Tests that find it missing leave themselves out. */
const PACKAGES = [
  { name: 'bubblewrap', isThere: () => isOnPath('bwrap') },
  { name: 'python3', isThere: () => existsSync('/usr/bin/python3') },
  { name: 'python3-matplotlib', isThere: () => canImport('matplotlib') }, // brings Pillow along
];

/** What only later groups need: installed in the background, all in one go. */
const LATER_PACKAGES = [
  { name: 'podman', isThere: () => isOnPath('podman') },
  { name: 'runc', isThere: () => isOnPath('runc') },
  { name: 'uidmap', isThere: () => isOnPath('newuidmap') },
  { name: 'docker.io', isThere: () => isOnPath('dockerd') && isOnPath('docker') },
  { name: 'mmdebstrap', isThere: () => isOnPath('mmdebstrap') },
];

export function ensureSystemPackages() {
  return ensure(PACKAGES);
}

export function ensureLaterPackages() {
  return ensure(LATER_PACKAGES);
}

/** Installs what is missing where that is ours to do: on Linux, as root, with apt. Says so where it is not. */
async function ensure(packages) {
  if (process.platform !== 'linux') return;
  const missing = [];
  for (const { name, isThere } of packages) if (!(await isThere())) missing.push(name);
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0 || !isOnPath('apt-get')) {
    process.stdout.write(`not installed, and not ours to install (no root or no apt): ${missing.join(', ')}\n`);
    return;
  }
  await showProgress(`installing ${missing.join(', ')} with apt`, async () => {
    await aptGet('update');
    await aptGet('install', '--yes', '--no-install-recommends', ...missing);
  });
}

async function aptGet(...args) {
  const { code, output } = await capture('apt-get', args, {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (code !== 0) process.stdout.write(`apt-get ${args[0]} failed; tests that need it are left out:\n${output}\n`);
}

export function isOnPath(command) {
  return [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'].some((folder) =>
    existsSync(join(folder, command)),
  );
}

async function canImport(module) {
  const result = await capture('/usr/bin/python3', ['-c', `import ${module}`]).catch(() => ({ code: 1 }));
  return result.code === 0;
}
