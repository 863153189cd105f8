/**
 * The environment of an upstream's process: what a machine needs for programs to run at all, and what its own entry says.
 *
 * Nothing else of the host is passed on: a token that was exported for one program is no business of forty others.
 */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where programs, homes and temporary files are; language and time zone; how the network is reached from here. */
const PASSED_ON: Readonly<Record<'posix' | 'win32', ReadonlySet<string>>> = {
  posix: new Set([
    'HOME',
    'LANG',
    'LANGUAGE',
    'LOGNAME',
    'PATH',
    'SHELL',
    'TERM',
    'TMPDIR',
    'TZ',
    'USER',
    'XDG_CACHE_HOME',
    'XDG_CONFIG_HOME',
    'XDG_DATA_HOME',
    'XDG_RUNTIME_DIR',
    'XDG_STATE_HOME',
    '__CF_USER_TEXT_ENCODING',
  ]),
  win32: new Set([
    'ALLUSERSPROFILE',
    'APPDATA',
    'COMSPEC',
    'HOMEDRIVE',
    'HOMEPATH',
    'LOCALAPPDATA',
    'NUMBER_OF_PROCESSORS',
    'OS',
    'PATH',
    'PATHEXT',
    'PROCESSOR_ARCHITECTURE',
    'PROGRAMDATA',
    'PROGRAMFILES',
    'PROGRAMFILES(X86)',
    'PROGRAMW6432',
    'PUBLIC',
    'SYSTEMDRIVE',
    'SYSTEMROOT',
    'TEMP',
    'TMP',
    'USERDOMAIN',
    'USERNAME',
    'USERPROFILE',
    'WINDIR',
  ]),
};
const NETWORK = new Set([
  'ALL_PROXY',
  'HTTPS_PROXY',
  'HTTP_PROXY',
  'NODE_EXTRA_CA_CERTS',
  'NO_PROXY',
  'REQUESTS_CA_BUNDLE',
  'SSL_CERT_DIR',
  'SSL_CERT_FILE',
]);

/** Which engine `docker` and `podman` talk to; without these they look for one on this machine. */
const ENGINE = new Set([
  'CONTAINER_HOST',
  'DOCKER_CERT_PATH',
  'DOCKER_CONFIG',
  'DOCKER_CONTEXT',
  'DOCKER_HOST',
  'DOCKER_TLS_VERIFY',
]);

export function upstreamEnvironment(
  host: Environment,
  own: Readonly<Record<string, string>>,
  { platform, command }: { readonly platform: NodeJS.Platform; readonly command: string },
): Record<string, string> {
  const startsContainers = /(?:^|[\\/])(?:docker|podman)(?:\.exe)?$/i.test(command);
  const passed = Object.entries(host).filter(
    // Bash exports functions as values that begin like this; no program needs them.
    ([name, value]) =>
      value !== undefined &&
      !value.startsWith('()') &&
      (isPassedOn(name, platform) || (startsContainers && ENGINE.has(name))),
  );
  return { ...(Object.fromEntries(passed) as Record<string, string>), ...own };
}

function isPassedOn(name: string, platform: NodeJS.Platform): boolean {
  const upper = name.toUpperCase();
  if (NETWORK.has(upper)) return true; // written in small letters as often as in capitals
  return platform === 'win32' ? PASSED_ON.win32.has(upper) : PASSED_ON.posix.has(name) || name.startsWith('LC_');
}
