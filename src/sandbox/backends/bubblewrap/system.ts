/** The part of the wall that comes from the host's system: programs and libraries, a little of /etc, the time zone. */
import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { INSIDE, type WallEntry } from './arguments.ts';

/** Names of the root that are links into /usr on a merged system, and folders on an older one. */
const ROOT_NAMES = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'];

/** Stores of systems that keep their programs elsewhere; everything in them is readable by everybody. */
const STORES = ['/nix/store', '/gnu/store'];

/** Shown as they are: how programs find libraries, alternatives, certificates, fonts. Each costs a mount. */
const ETC_NAMES = [
  'alternatives',
  'ca-certificates/extracted',
  'fonts',
  'ld.so.cache',
  'pki/ca-trust',
  'pki/tls/certs',
  'ssl/certs',
  'ssl/openssl.cnf',
];

/** Our own, as links: the host's would name its users and machines, or cost a mount for a few lines. */
const SYNTHETIC_NAMES = ['group', 'hosts', 'nsswitch.conf', 'passwd', 'protocols', 'services'];

export function systemEntries(): WallEntry[] {
  return [
    readOnly('/usr'),
    ...ROOT_NAMES.flatMap(rootEntry),
    ...STORES.filter(existsSync).map(readOnly),
    ...[...ETC_NAMES, ...javaNames()].map((name) => join('/etc', name)).flatMap(etcEntry),
    ...SYNTHETIC_NAMES.map(
      (name): WallEntry => ({ kind: 'symlink', target: `${INSIDE.files}/etc/${name}`, path: `/etc/${name}` }),
    ),
    ...localtimeEntry(),
  ];
}

function readOnly(path: string): WallEntry {
  return { kind: 'bind', source: path, target: path, mode: 'ro' };
}

function rootEntry(name: string): WallEntry[] {
  const path = `/${name}`;
  const info = lstatSync(path, { throwIfNoEntry: false });
  if (!info) return [];
  return info.isSymbolicLink() ? [{ kind: 'symlink', target: readlinkSync(path), path }] : [readOnly(path)];
}

/** A link into /usr stays a link: that costs no mount. */
function etcEntry(path: string): WallEntry[] {
  if (!existsSync(path)) return [];
  const target = linkTarget(path);
  return target?.startsWith('/usr/') ? [{ kind: 'symlink', target, path }] : [readOnly(path)];
}

/** Java keeps parts of its own installation in /etc. */
function javaNames(): string[] {
  return readdirSync('/etc').filter((name) => /^java(-[\w.-]+)?$/.test(name));
}

function localtimeEntry(): WallEntry[] {
  return etcEntry('/etc/localtime');
}

function linkTarget(path: string): string | undefined {
  if (!lstatSync(path).isSymbolicLink()) return undefined;
  const target = readlinkSync(path);
  return isAbsolute(target) ? target : undefined;
}

export interface EnvironmentParts {
  /** Folders of runtimes outside of the system, first ones first. */
  readonly binFolders: readonly string[];
  readonly timeZone: string;
  readonly given: Readonly<Record<string, string>>;
}

/** All variables that a program sees. Its own cannot replace the fixed ones. */
export function insideEnvironment({ binFolders, timeZone, given }: EnvironmentParts): Record<string, string> {
  return {
    ...given,
    PATH: [
      INSIDE.bin,
      ...binFolders,
      '/usr/local/bin',
      '/usr/bin',
      '/bin',
      '/usr/local/sbin',
      '/usr/sbin',
      '/sbin',
    ].join(':'),
    HOME: '/tmp',
    USER: 'user',
    LOGNAME: 'user',
    SHELL: '/bin/bash',
    LANG: 'C.UTF-8',
    TZ: timeZone,
    TMPDIR: '/tmp',
    TERM: 'dumb',
    // Python programs that a program starts: no bytecode beside sources, output as it comes, figures without a screen.
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONUNBUFFERED: '1',
    MPLBACKEND: 'Agg',
    MPLCONFIGDIR: '/tmp/.matplotlib',
  };
}

/** The host's zone by name where the system knows it, so that Node and Python agree; else what /etc/localtime says. */
export function hostTimeZone(): string {
  const name = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return existsSync(join('/usr/share/zoneinfo', name)) ? name : ':/etc/localtime';
}
