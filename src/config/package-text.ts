/** `off`, `ask`, `allow`, or `allow:pypi,npm=https://registry.example` → what may be installed, and from where. */
import { ECOSYSTEMS, type Ecosystem, PACKAGE_MODES, type PackagePolicy } from '#contracts/packages';

const FORM = 'must be off, ask or allow, with registries behind it where only some are meant: allow:pypi,npm=https://…';

export function parsePackages(text: string): PackagePolicy {
  const [word = '', ...rest] = text.trim().split(':');
  const mode = PACKAGE_MODES.find((known) => known === word.toLowerCase());
  if (mode === undefined || (mode === 'off' && rest.length > 0)) throw new RangeError(FORM);
  if (rest.length === 0) return { mode, registries: Object.fromEntries(ECOSYSTEMS.map((name) => [name, anyAddress])) };
  return { mode, registries: Object.fromEntries(rest.join(':').split(',').map(parseRegistry)) };
}

const anyAddress = { address: undefined };

function parseRegistry(text: string): [Ecosystem, { address: string | undefined }] {
  const [name = '', ...rest] = text.trim().split('=');
  const ecosystem = ECOSYSTEMS.find((known) => known === name.toLowerCase());
  const address = rest.length === 0 ? undefined : rest.join('=');
  if (ecosystem === undefined || (address !== undefined && !/^https?:$/.test(URL.parse(address)?.protocol ?? '')))
    throw new RangeError(FORM);
  return [ecosystem, { address }];
}
