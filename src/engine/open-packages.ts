/** The store of installed packages, with the tools and the part of the environment that installing needs. */
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { PackagePolicy } from '#contracts/packages';
import type { Logger } from '#observability/logger';
import { PackageStore } from '#packages/store';
import { findOnPath } from '#sandbox/executables';
import type { RuntimeFinder } from '#sandbox/runtimes';

/** What pip, uv and npm read to find their settings, a proxy and certificates. No other variable reaches them. */
const PASSED =
  /^(?:HOME|USER|LANG|LC_ALL|PATH|TMPDIR|XDG_(?:CONFIG|CACHE)_HOME|APPDATA|LOCALAPPDATA|SYSTEMROOT|PIP_\w+|UV_\w+|NPM_CONFIG_\w+|(?:HTTPS?|ALL|NO)_PROXY|SSL_CERT_(?:FILE|DIR)|REQUESTS_CA_BUNDLE|NODE_EXTRA_CA_CERTS)$/i;

export function openPackageStore(
  settings: { readonly stateDir: string; readonly packages: PackagePolicy | undefined },
  env: Readonly<Record<string, string | undefined>>,
  runtimes: RuntimeFinder,
  logger: Logger,
): PackageStore {
  const path = env.PATH ?? '';
  const registries = settings.packages?.registries;
  return new PackageStore({
    directory: join(settings.stateDir, 'packages'),
    env: Object.fromEntries(
      Object.entries(env).filter((entry): entry is [string, string] => PASSED.test(entry[0]) && entry[1] !== undefined),
    ),
    tools: async () => {
      const python = await runtimes.find('python');
      return {
        python: python.found ? python.runtime.binary : undefined,
        uv: findOnPath('uv', path),
        npm: findOnPath('npm', path),
      };
    },
    registries: {
      ...(registries?.pypi?.address !== undefined && { pypi: registries.pypi.address }),
      ...(registries?.npm?.address !== undefined && { npm: registries.npm.address }),
    },
    logger,
  });
}

/** Whether the machine has any way out; asking for packages on one without is no use. */
export function hasNetwork(): boolean {
  return Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ internal }) => !internal));
}
