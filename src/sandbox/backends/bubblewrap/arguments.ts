/** From the wall as data to bwrap's arguments. Pure: the same wall always gives the same words. */
import { INSIDE } from '../../supervised/places.ts';
import { limitText, type ProcessLimits } from '../../supervised/process-limits.ts';

export type WallEntry =
  | {
      readonly kind: 'bind';
      readonly source: string;
      readonly target: string;
      readonly mode: 'ro' | 'rw';
      /** The user's folder that the source is, or is in: the program sees it as its own. */
      readonly userFolder?: string;
    }
  | { readonly kind: 'symlink'; readonly target: string; readonly path: string }
  /** An empty folder that nobody can write to, over whatever was there. */
  | { readonly kind: 'cover'; readonly path: string };

export interface Wall {
  /** In the order in which they are built: a later one stands on an earlier one. */
  readonly entries: readonly WallEntry[];
  readonly tmpBytes: number;
  readonly shmBytes: number;
  readonly env: Readonly<Record<string, string>>;
  readonly processLimits: ProcessLimits;
  /** Whether this bwrap can also switch off user namespaces behind the wall; the filter refuses them in any case. */
  readonly canDisableUserns: boolean;
}

/** What bwrap starts. */
export const SUPERVISOR_COMMAND = ['/bin/sh', INSIDE.supervisor, 'supervise'] as const;

/** Descriptors that bwrap itself uses; it closes them before anything of the user starts. */
export const BWRAP_FDS = { args: 10, seccomp: 11, status: 12 } as const;

/** For `--args`: all that may not be seen in the command line of the namespace's first process. */
export function bubblewrapArguments(wall: Wall): string[] {
  return [
    '--unshare-all',
    '--unshare-user',
    ...(wall.canDisableUserns ? ['--disable-userns'] : []),
    '--die-with-parent',
    '--new-session',
    '--cap-drop',
    'ALL',
    ...words('--uid', INSIDE.uid),
    ...words('--gid', INSIDE.uid),
    ...words('--hostname', INSIDE.hostname),
    ...words('--seccomp', BWRAP_FDS.seccomp),
    ...words('--json-status-fd', BWRAP_FDS.status),
    ...words('--proc', '/proc'),
    ...words('--dev', '/dev'),
    ...scratch('/dev/shm', wall.shmBytes),
    ...words('--remount-ro', '/dev'),
    ...scratch('/tmp', wall.tmpBytes),
    ...wall.entries.flatMap(entryArguments),
    // Without this the root itself is a writable tmpfs of half the machine's memory.
    ...words('--remount-ro', '/'),
    ...words('--chdir', INSIDE.workspace),
    '--clearenv',
    ...Object.entries(wall.env).flatMap(([name, value]) => ['--setenv', name, value]),
    ...words('--setenv', 'SALLYPORT_LIMITS', limitText(wall.processLimits)),
  ];
}

function entryArguments(entry: WallEntry): string[] {
  switch (entry.kind) {
    case 'bind':
      return [entry.mode === 'ro' ? '--ro-bind' : '--bind', entry.source, entry.target];
    case 'symlink':
      return ['--symlink', entry.target, entry.path];
    case 'cover':
      return ['--perms', '0555', '--tmpfs', entry.path, '--remount-ro', entry.path];
    default:
      return entry satisfies never;
  }
}

function scratch(path: string, bytes: number): string[] {
  return words('--size', bytes, '--perms', '1777', '--tmpfs', path);
}

function words(...parts: ReadonlyArray<string | number>): string[] {
  return parts.map(String);
}
