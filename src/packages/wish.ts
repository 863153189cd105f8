/** The packages that a program asks for, by the kind of registry that has them. Everything here was written by the program. */
import { AppError } from '#contracts/errors';
import { BOUNDS } from '#contracts/limits';
import type { Ecosystem } from '#contracts/packages';

export interface PackageWish {
  readonly ecosystem: Ecosystem;
  /** As the registry compares names. */
  readonly name: string;
  /** What stands behind the name: `[extra]>=1; python_version > "3.8"`, or a range of versions; empty for any. */
  readonly version: string;
}

/**
 * PEP 508 without addresses and paths: a name, extras, versions, a marker. What begins with a dash would be an option,
 * and what has `@`, `/` or `://` would come from somewhere else than the registry.
 */
const REQUIREMENT =
  /^([A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?)\s*(\[[A-Za-z0-9._,\s-]{0,200}\])?\s*\(?((?:(?:===?|~=|!=|<=|>=|<|>)\s*[A-Za-z0-9.*+!_-]{1,60}\s*,?\s*){0,10})\)?\s*(;[\w\s.'"<>=!~()-]{1,200})?$/;
const NPM_NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]{0,98}\/)?[a-z0-9~-][a-z0-9._~-]{0,98}$/i;
/** Versions and ranges only: no `file:`, `git+…`, `npm:` or address. */
const NPM_RANGE = /^[\w.*^~<>=|+ -]{0,100}$/;

export function pypiWish(text: string): PackageWish {
  const match = REQUIREMENT.exec(text.trim());
  if (!match)
    throw badWish(text, 'Write a name and versions of PyPI, such as "requests>=2.31"; no options, addresses or paths');
  const [, name = '', extras = '', versions = '', marker = ''] = match;
  return {
    ecosystem: 'pypi',
    name: name.toLowerCase().replaceAll(/[-_.]+/g, '-'),
    version: `${extras.replaceAll(/\s+/g, '')}${versions.replaceAll(/\s+/g, '')}${marker.replaceAll(/\s+/g, ' ')}`,
  };
}

/** `lodash`, `lodash@^4`, `@scope/name@1.2`. */
export function npmWish(text: string): PackageWish {
  const at = text.indexOf('@', 1);
  const name = at === -1 ? text : text.slice(0, at);
  const version = at === -1 ? '' : text.slice(at + 1).trim();
  if (!NPM_NAME.test(name) || !NPM_RANGE.test(version) || name.split('/').some((part) => /^\.+$/.test(part)))
    throw badWish(
      text,
      'Write a name and versions of the npm registry, such as "npm:lodash@^4"; no addresses or paths',
    );
  return { ecosystem: 'npm', name, version };
}

/** As one line of what is asked for. */
export function wishText({ ecosystem, name, version }: PackageWish): string {
  return ecosystem === 'npm' && version !== '' ? `${name}@${version}` : `${name}${version}`;
}

/** Later wishes for a name replace earlier ones, unless any version will do for them. */
export function unite(earlier: readonly PackageWish[], later: readonly PackageWish[]): PackageWish[] {
  const byName = new Map<string, PackageWish>();
  for (const wish of [...earlier, ...later]) {
    const key = `${wish.ecosystem} ${wish.name}`;
    if (wish.version !== '' || !byName.has(key)) byName.set(key, wish);
  }
  const united = [...byName.values()].sort((a, b) => (wishText(a) < wishText(b) ? -1 : 1));
  if (united.length <= BOUNDS.packagesMax) return united;
  throw new AppError(
    'INVALID_INPUT',
    `${united.length} packages are asked for, and at most ${BOUNDS.packagesMax} may be`,
  );
}

function badWish(text: string, hint: string): AppError {
  return new AppError('INVALID_INPUT', `"${text.slice(0, 80)}" is no package that can be asked for`, { hint });
}
