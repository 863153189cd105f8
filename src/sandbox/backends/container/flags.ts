/** From the wall as data to the words of `run`. Pure: the same wall always gives the same words. */
import type { SandboxLimits } from '../../backend.ts';
import { cpuQuotaUs, groupMemoryBytes, groupProcesses } from '../../limits/limiter.ts';
import { INSIDE } from '../../supervised/places.ts';
import type { EngineName } from './engine.ts';

/** What an engine turned out to need, or not to be able to do, when the wall was tried. */
export interface EngineNeeds {
  /** Another runtime than the engine's own choice. */
  readonly runtime: string | undefined;
  /** Which limits its groups hold: all, all but the cores, or none. */
  readonly groups: 'all' | 'no-cpu' | 'none';
}

export interface ContainerBind {
  readonly source: string;
  readonly target: string;
  readonly mode: 'ro' | 'rw';
}

export interface ContainerUser {
  readonly uid: number;
  readonly gid: number;
}

export interface ContainerWall {
  readonly engine: EngineName;
  readonly needs: EngineNeeds;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly image: string;
  readonly user: ContainerUser;
  /** The user outside is the server's own: a rootless engine maps it. */
  readonly keepsUser: boolean;
  readonly binds: readonly ContainerBind[];
  readonly limits: SandboxLimits;
  /** What this process may not pass either, so an engine without privileges cannot ask for more. */
  readonly hardLimits: { readonly openFiles: number; readonly processes: number };
  /** Whether programs may be started from /tmp. */
  readonly tmpExecutes: boolean;
  /** SELinux would keep the container from the folders that it is given. */
  readonly hasSelinux: boolean;
  readonly command: readonly string[];
  readonly detached: boolean;
}

/** Docker hands the proxies of its client's settings to every container, unless they are named. */
const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'FTP_PROXY', 'NO_PROXY', 'ALL_PROXY'];

export function runArguments(wall: ContainerWall): string[] {
  const { engine, needs, user, limits } = wall;
  return [
    ...(needs.runtime === undefined || engine !== 'podman' ? [] : ['--runtime', needs.runtime]),
    'run',
    '--rm',
    ...(wall.detached ? ['--detach'] : []),
    ...['--name', wall.name],
    ...Object.entries(wall.labels).flatMap(([name, value]) => ['--label', `${name}=${value}`]),
    '--pull=never',
    ...['--network', 'none'],
    '--read-only',
    ...['--cap-drop', 'ALL'],
    ...['--security-opt', 'no-new-privileges'],
    ...(wall.hasSelinux ? ['--security-opt', 'label=disable'] : []),
    ...['--user', `${user.uid}:${user.gid}`],
    ...(wall.keepsUser ? ['--userns', `keep-id:uid=${user.uid},gid=${user.gid}`] : []),
    ...['--ipc', 'private'],
    ...['--hostname', INSIDE.hostname],
    ...['--workdir', '/'],
    ...limitArguments(wall),
    ...['--shm-size', `${limits.shmBytes}b`],
    ...['--tmpfs', `/tmp:rw,size=${limits.tmpBytes},mode=1777,nosuid,nodev,${wall.tmpExecutes ? 'exec' : 'noexec'}`],
    ...wall.binds.flatMap((bind) => ['--mount', mountText(bind)]),
    ...(engine === 'podman' ? podmanArguments() : dockerArguments()),
    ...['--log-driver', 'none'],
    ...['--entrypoint', wall.command[0] ?? ''],
    wall.image,
    ...wall.command.slice(1),
  ];
}

function limitArguments({ needs, limits, hardLimits }: ContainerWall): string[] {
  const openFiles = Math.min(limits.openFiles, hardLimits.openFiles);
  // Where a group counts them, the user's own count must not stand in the way: others have the same user.
  const processes = needs.groups === 'none' ? groupProcesses(limits) : hardLimits.processes;
  const memory = `${groupMemoryBytes(limits)}b`;
  return [
    ...['--ulimit', `nofile=${openFiles}:${openFiles}`],
    ...['--ulimit', `nproc=${processes}:${processes}`],
    ...['--ulimit', 'core=0:0'],
    ...(needs.groups === 'none'
      ? []
      : ['--memory', memory, '--memory-swap', memory, '--pids-limit', String(groupProcesses(limits))]),
    ...(needs.groups === 'all' ? ['--cpus', String(cpuQuotaUs(limits) / 100_000)] : []),
  ];
}

/** Podman passes on more of the host than asked for: its proxies, its hosts file; and makes places writable. */
function podmanArguments(): string[] {
  return ['--http-proxy=false', '--no-hosts', '--read-only-tmpfs=false', '--image-volume', 'ignore', '--systemd=false'];
}

function dockerArguments(): string[] {
  const names = PROXY_VARIABLES.flatMap((name) => [name, name.toLowerCase()]);
  return names.flatMap((name) => ['--env', `${name}=`]);
}

/** Fields of a line of comma-separated values; quotes keep commas in paths. */
function mountText({ source, target, mode }: ContainerBind): string {
  const field = (text: string) => (/[,"\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return [
    'type=bind',
    field(`source=${source}`),
    field(`target=${target}`),
    ...(mode === 'ro' ? ['readonly'] : []),
    // What is mounted later on the host does not appear inside, and the other way round.
    'bind-propagation=rprivate',
  ].join(',');
}
