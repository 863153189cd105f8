/**
 * Compilers and interpreters of the languages that must run with CI=true (`toolchains.json`). Installed in the
 * background, as a low-priority neighbour of the first test groups; the group that needs them waits.
 */
import { readFileSync } from 'node:fs';
import { capture } from '../setup/command.mjs';
import { reportLine } from './report.mjs';
import { isOnPath } from './system-packages.mjs';

const LIST = new URL('toolchains.json', import.meta.url);
/** Half-written files after a crash of the machine do not matter here; waiting for the disk does. */
const QUICK = ['-o', 'Dpkg::Options::=--force-unsafe-io', '-o', 'Dpkg::Use-Pty=0'];

/** Resolves when all is there that could be had. Does nothing where it is not ours to install. */
export async function installToolchains() {
  if (process.env.CI !== 'true' || process.platform !== 'linux' || process.getuid?.() !== 0) return;
  const { languages } = JSON.parse(readFileSync(LIST, 'utf8'));
  const missing = Object.values(languages).filter(({ tool }) => !isOnPath(tool));
  const packages = (manager) => [...new Set(missing.flatMap((entry) => entry[manager]?.split(' ') ?? []))];
  const startedAt = performance.now();
  const [debian, npm] = [packages('apt'), packages('npm')];
  const failures = [];
  if (debian.length > 0 && isOnPath('apt-get')) {
    failures.push(await quietly('apt-get', ['update']));
    failures.push(await quietly('apt-get', ['install', '--yes', '--no-install-recommends', ...QUICK, ...debian]));
  }
  if (npm.length > 0) {
    const flags = [
      '--global',
      '--prefix',
      '/usr/local',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--omit=optional',
    ];
    failures.push(await quietly('npm', ['install', ...flags, ...npm]));
  }
  if (debian.length + npm.length === 0) return;
  const problems = failures.filter((failure) => failure !== undefined);
  reportLine('toolchains', problems.length > 0 ? 'FAILED' : `${debian.length + npm.length} packages`, startedAt);
  for (const problem of problems) process.stdout.write(`${problem}\n`);
}

/** What went wrong, or undefined. */
async function quietly(command, args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { code, output } = await capture('nice', ['-n', '15', command, ...args], { env });
  return code === 0 ? undefined : `${command} ${args[0]} failed:\n${output.slice(-2_000)}`;
}
