import { spawn } from 'node:child_process';
import { existsSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { capture } from '../setup/command.mjs';
import { reportLine } from './report.mjs';
import { isOnPath } from './system-packages.mjs';

/** Changes with what is in the image. */
const ARCHIVE = join(tmpdir(), 'sallyport-test-image-1.tar');
const IMAGE = 'sallyport-test:slim';
const DAEMON_MS_MAX = 30_000;

/**
 * A small image for both engines, made of packages and not pulled; and a Docker daemon of the tests' own, which `close`
 * ends. Needs root; where that is missing, what is there already is used.
 */
export async function prepareContainers() {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
  const startedAt = performance.now();
  await makeArchive();
  const daemon = isOnPath('dockerd') ? await startDaemon() : undefined;
  try {
    await Promise.all([
      isOnPath('podman') ? must('podman', ['import', '--quiet', ARCHIVE, IMAGE]) : undefined,
      daemon ? must('docker', ['import', ARCHIVE, IMAGE]) : undefined,
      process.env.CI === 'true' ? makeUser() : undefined,
    ]);
  } catch (error) {
    await daemon?.close();
    throw error;
  }
  reportLine('set-up', 'engines and an image for containers', startedAt);
  return { close: () => daemon?.close() };
}

async function makeArchive() {
  if (existsSync(ARCHIVE)) return;
  const release = /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'bookworm';
  const left = ['doc', 'man', 'locale'].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`);
  const unfinished = `${ARCHIVE}.${process.pid}.tar`;
  const packages = '--include=python3,libstdc++6';
  await must('mmdebstrap', ['--quiet', '--variant=essential', packages, ...left, release, unfinished]);
  await rename(unfinished, ARCHIVE);
}

/** A user for rootless containers, with the image. Only where the machine is the tests' own: users stay. */
async function makeUser() {
  const name = 'sallyport-test';
  if ((await capture('getent', ['passwd', name])).code !== 0) {
    await must('useradd', ['--create-home', name]);
  }
  // Most systems give a new user its ranges; a second one could overlap another's.
  if (!readFileSync('/etc/subuid', 'utf8').includes(`${name}:`)) {
    await must('usermod', ['--add-subuids', '300000-365535', '--add-subgids', '300000-365535', name]);
  }
  const folder = `/home/${name}/.config/containers`;
  const settings = '[storage]\ndriver = "overlay"\n'; // left to itself it may copy the image for every container
  await must('runuser', [
    '-u',
    name,
    '--',
    'sh',
    '-c',
    'mkdir -p "$1" && printf "$2" >"$1/storage.conf"',
    '-',
    folder,
    settings,
  ]);
  await must('runuser', ['-u', name, '--', 'env', `HOME=/home/${name}`, 'podman', 'import', '--quiet', ARCHIVE, IMAGE]);
  // The first container of a user waits for the image to be shown as that user's.
  await must('runuser', [
    ...['-u', name, '--', 'env', `HOME=/home/${name}`, 'podman', 'run', '--rm', '--network', 'none'],
    ...[
      '--userns',
      'keep-id:uid=65534,gid=65534',
      '--ulimit',
      'nofile=256:256',
      '--ulimit',
      'nproc=256:256',
      IMAGE,
      'true',
    ],
  ]);
  process.env.SALLYPORT_TEST_USER = name;
}

/** On a socket of its own: a daemon that is there already has other work. */
async function startDaemon() {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-dockerd-'));
  const socket = `unix://${join(folder, 'docker.sock')}`;
  const log = openSync(join(folder, 'log'), 'w');
  const places = ['--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec')];
  const alone = ['--iptables=false', '--ip6tables=false', '--bridge=none', '--pidfile', join(folder, 'pid')];
  const child = spawn('dockerd', [...places, ...alone, '--host', socket], { stdio: ['ignore', log, log] });
  const ended = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
  process.env.DOCKER_HOST = socket;
  const deadline = Date.now() + DAEMON_MS_MAX;
  while ((await capture('docker', ['version'])).code !== 0) {
    if (Date.now() > deadline || child.exitCode !== null) {
      child.kill();
      throw new Error(`dockerd does not start:\n${readFileSync(join(folder, 'log'), 'utf8').slice(-2_000)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return {
    async close() {
      child.kill();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function must(command, args) {
  const { code, output } = await capture(command, args);
  if (code !== 0) throw new Error(`${command} ${args[0]} failed:\n${output}`);
}
