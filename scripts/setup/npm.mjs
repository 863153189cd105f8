import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { capture } from './command.mjs';
import { dependenciesAreCurrent } from './dependencies.mjs';
import { SetupFailure } from './failure.mjs';

/** What was fetched before a broken connection is in npm's cache, so a second try goes on from there. */
const RETRY_PAUSES_MS = [1_000, 3_000, undefined];

const INSTALL = [
  'install',
  '--no-save',
  '--ignore-scripts',
  '--include=dev', // NODE_ENV=production or a user's npmrc would leave out the compiler
  '--include=optional',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
  '--fetch-retries=0', // npm would try each of two hundred packages again; without a network that takes minutes
];

/** npm says in its `code` line why it gave up. */
const NETWORK_CODES = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ERR_SOCKET_TIMEOUT',
  'ENOTCACHED',
  'FETCH_ERROR',
]);

/**
 * Installs what the lock file of `manifest` says into the new folder `into`. No install scripts run: nothing we depend
 * on needs one, and code that runs before anybody looked at it is what a sandbox should not begin with.
 *
 * Not `npm ci`: that refuses a lock file which lacks an optional package for another system, and registries differ in
 * which of those they have. The lock file's versions and hashes bind `npm install` just as well.
 */
export async function installLocked(manifest, into, what) {
  await mkdir(into, { recursive: true });
  for (const file of ['package.json', 'package-lock.json']) await copyFile(join(manifest, file), join(into, file));
  for (const pauseMs of RETRY_PAUSES_MS) {
    const failure = await tryInstall(into, what);
    if (!failure) return;
    if (pauseMs === undefined || !failure.isWorthARetry) throw failure.error;
    await sleep(pauseMs);
  }
}

async function tryInstall(into, what) {
  const { code, output } = await runNpm(INSTALL, into);
  if (code !== 0) return explainNpm(output, what);
  // npm takes a broken connection for a reason to leave an optional package out, also when it is the one for this machine.
  if (await dependenciesAreCurrent(into)) return undefined;
  const error = new SetupFailure(
    `npm left out a part of ${what}`,
    'check the network; when it is well, run `npm config list` and look for `omit`, `os`, `cpu`; then start again',
  );
  return { error, isWorthARetry: true };
}

async function runNpm(args, cwd) {
  const isWindows = process.platform === 'win32'; // npm is a .cmd file there, which only a shell can start
  try {
    return await capture(isWindows ? 'npm.cmd' : 'npm', args, { cwd, shell: isWindows, env: npmEnvironment() });
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    throw new SetupFailure('npm is missing', 'install Node.js 18 or newer together with npm, and start again', {
      cause: error,
    });
  }
}

/** The settings of an `npm test` or `npx` around us are not meant for this install. */
function npmEnvironment() {
  const foreign =
    /^npm_(?:config_(?:global|location|prefix|local_prefix|dry_run|package_lock.*|workspace.*|omit|only|production)|package_.*|lifecycle_.*|command)$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

function explainNpm(output, what) {
  const code = /^npm (?:error|ERR!) code (\S+)/m.exec(output)?.[1] ?? 'unknown';
  const details = output.split('\n').slice(0, 12).join('\n');
  const isNetwork = NETWORK_CODES.has(code);
  const nextStep = isNetwork
    ? 'npm could not reach its registry: check the network (or `npm config get registry` and the proxy settings) and start again'
    : "the lines above are npm's own; when that is mended, start again";
  const error = new SetupFailure(`cannot install ${what} (npm: ${code})`, nextStep, { details });
  return { error, isWorthARetry: isNetwork };
}
