/** Tries the wall for real, once for each boot and bwrap; later servers believe the proof that is kept on disk. */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '#contracts/errors';
import type { Logger } from '#observability/logger';
import type { BackendReport, InterpreterId, Sandbox, SandboxLimits, SandboxPlan } from '../../backend.ts';
import { fileStamp, keepFact, readKeptFact } from '../../kept-facts.ts';
import { runCommand } from '../../process.ts';
import {
  explainFailure,
  explainMissing,
  explainTooOld,
  isAtLeast,
  type MachineFacts,
  OLDEST_VERSION,
} from './explain.ts';
import { FIRST_UID, LAST_UID } from './identity.ts';
import type { Workshop } from './workshop.ts';

const VERSION_TIMEOUT_MS = 5_000;
const MIB = 1024 * 1024;
const TRIAL_LIMITS: SandboxLimits = {
  memoryBytes: 256 * MIB,
  tmpBytes: 16 * MIB,
  shmBytes: 16 * MIB,
  workspaceBytes: 16 * MIB,
  processes: 32,
  openFiles: 1024,
  cpus: 1,
};

/** `0.8.0`. Throws when bwrap cannot be asked. */
export async function bwrapVersion(bwrap: string, cacheDir: string, logger: Logger): Promise<string> {
  const file = join(cacheDir, 'bubblewrap-version.json');
  const key = `${bwrap} ${fileStamp(bwrap)}`;
  const kept = readKeptFact<string>(file, () => key);
  if (kept !== undefined) return kept;
  const { stdout } = await runCommand(bwrap, ['--version'], { timeoutMs: VERSION_TIMEOUT_MS });
  const version = /\d+(?:\.\d+)+/.exec(stdout)?.[0] ?? '0';
  keepFact(file, key, version, logger);
  return version;
}

export interface ProbeParts {
  readonly bwrap: string | undefined;
  readonly version: string;
  readonly cacheDir: string;
  readonly stateDir: string;
  readonly logger: Logger;
  /** Whatever else the wall depends on. */
  readonly openWorkshop: () => Promise<Workshop>;
  readonly create: (plan: SandboxPlan) => Promise<Sandbox>;
  /** An interpreter that is tried too, and costs little. */
  readonly smallest: InterpreterId | undefined;
}

export async function probeWall(parts: ProbeParts): Promise<BackendReport> {
  const facts = machineFacts();
  if (facts.platform !== 'linux') {
    return { works: false, problem: 'bubblewrap needs Linux', fix: 'Use --sandbox embedded' };
  }
  if (parts.bwrap === undefined) return { works: false, ...explainMissing(facts) };
  if (!isAtLeast(parts.version, OLDEST_VERSION)) return { works: false, ...explainTooOld(parts.version, facts) };
  try {
    const workshop = await parts.openWorkshop();
    const file = join(parts.cacheDir, 'bubblewrap-proof.json');
    const key = proofKey(parts.bwrap, parts.version, workshop, facts);
    if (readKeptFact<boolean>(file, () => key) !== true) {
      await tryOnce(parts, workshop);
      keepFact(file, key, true, parts.logger);
    }
    return { works: true, details: details(parts.bwrap, parts.version, workshop) };
  } catch (error) {
    return { works: false, ...explainFailure(messageOf(error), facts) };
  }
}

async function tryOnce({ create, smallest }: ProbeParts, workshop: Workshop): Promise<void> {
  const directory = await mkdtemp(join(workshop.directory, 'probe-'));
  try {
    const [workspace, output] = [join(directory, 'workspace'), join(directory, 'output')];
    await mkdir(workspace);
    await mkdir(output);
    const sandbox = await create({ workspace, output, mounts: [], env: {}, limits: TRIAL_LIMITS });
    try {
      if (smallest !== undefined) await sandbox.start(smallest);
    } finally {
      await sandbox.kill();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** All that could make a wall fail that once stood. */
function proofKey(bwrap: string, version: string, { limiter }: Workshop, facts: MachineFacts): string {
  const boot = readText('/proc/sys/kernel/random/boot_id');
  return JSON.stringify([bwrap, fileStamp(bwrap), version, boot, process.getuid?.(), limiter.description, facts]);
}

function details(bwrap: string, version: string, { limiter, limitersPassedOver, root }: Workshop): string[] {
  return [
    `bubblewrap ${version} (${bwrap})`,
    'namespaces: user, pid, mount, network, ipc, uts, cgroup',
    `system-call filter: yes (${process.arch})`,
    root
      ? `user outside of the wall: one for each sandbox (${FIRST_UID} to ${LAST_UID}), never root`
      : `user outside of the wall: your own (${process.getuid?.()}), without capabilities`,
    `limits: ${limiter.description}`,
    ...limiter.gaps.map((gap) => `limits: ${gap}`),
    ...limitersPassedOver.map((reason) => `stronger limits not used: ${reason}`),
  ];
}

function machineFacts(): MachineFacts {
  const release = readText('/etc/os-release') ?? '';
  const field = (name: string) => new RegExp(`^${name}="?([^"\\n]*)"?$`, 'm').exec(release)?.[1] ?? '';
  return {
    platform: process.platform,
    kernel: readText('/proc/version') ?? '',
    distributions: `${field('ID')} ${field('ID_LIKE')}`.split(/\s+/).filter(Boolean),
    isContainer: existsSync('/.dockerenv') || existsSync('/run/.containerenv'),
    apparmorRestriction: readText('/proc/sys/kernel/apparmor_restrict_unprivileged_userns'),
    unprivilegedClone: readText('/proc/sys/kernel/unprivileged_userns_clone'),
    maxUserNamespaces: readText('/proc/sys/user/max_user_namespaces'),
  };
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined; // this kernel does not have it
  }
}
