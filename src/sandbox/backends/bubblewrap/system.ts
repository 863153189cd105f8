/** The part of the wall that comes from the host's system: programs and libraries, a little of /etc, the time zone. */
import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { INSIDE } from '../../supervised/places.ts';
import type { WallEntry } from './arguments.ts';

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
    ...[...ETC_NAMES.map((name) => join('/etc', name)), ...runtimePlaces()].flatMap(etcEntry),
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

/** Runtimes keep parts of their own installation outside of /usr. */
const RUNTIME_NAMES = /^(?:java(?:-[\w.-]+)?|R|mono|gnucobol[\w-]*|fpc[\w.-]*\.cfg|ldc2\.conf|nim|racket|groovy)$/;
const RUNTIME_FOLDERS = ['/var/lib/ghc'];
/** Of PHP only what concerns the command line: its other folders configure servers. */
const PHP_NAMES = ['cli', 'mods-available'];

function runtimePlaces(): string[] {
  const own = readdirSync('/etc').filter((name) => RUNTIME_NAMES.test(name));
  const php = existsSync('/etc/php')
    ? readdirSync('/etc/php').flatMap((version) => PHP_NAMES.map((name) => join('php', version, name)))
    : [];
  return [...[...own, ...php].map((name) => join('/etc', name)), ...RUNTIME_FOLDERS];
}

function localtimeEntry(): WallEntry[] {
  return etcEntry('/etc/localtime');
}

function linkTarget(path: string): string | undefined {
  if (!lstatSync(path).isSymbolicLink()) return undefined;
  const target = readlinkSync(path);
  return isAbsolute(target) ? target : undefined;
}
