/** The variables that programs see. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { INSIDE } from './places.ts';

/** Where programs of a system are. */
export const SYSTEM_PATH = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/local/sbin', '/usr/sbin', '/sbin'] as const;

/** What HTTP programs look at to find their proxy; Node only does so when told to. */
export function egressEnvironment(): Record<string, string> {
  const proxy = `http://127.0.0.1:${INSIDE.egressPort}`;
  const local = 'localhost,127.0.0.1,::1';
  return {
    http_proxy: proxy,
    https_proxy: proxy,
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    no_proxy: local,
    NO_PROXY: local,
    NODE_USE_ENV_PROXY: '1',
    // For the supervisor alone, which starts the relay and forgets it.
    SALLYPORT_EGRESS: `${INSIDE.node} ${INSIDE.egressRelay} ${INSIDE.egressPort} ${INSIDE.egressSocket}`,
  };
}

export interface EnvironmentParts {
  /** Folders with programs, first ones first. */
  readonly path: readonly string[];
  readonly timeZone: string;
  readonly given: Readonly<Record<string, string>>;
}

/** All variables that a program sees. Its own cannot replace the fixed ones. */
export function insideEnvironment({ path, timeZone, given }: EnvironmentParts): Record<string, string> {
  return {
    ...given,
    PATH: [INSIDE.bin, ...path].join(':'),
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
