/** The packages that a program declares: may they be installed, and if so they are there before it begins. */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '#contracts/errors';
import type { PackagePolicy } from '#contracts/packages';
import type { Person } from '#contracts/person';
import { declaredInJavaScript } from '#packages/declared-javascript';
import { declaredInPython } from '#packages/declared-python';
import { fillShelf } from '#packages/shelf';
import type { PackageStore } from '#packages/store';
import { type PackageWish, unite, wishText } from '#packages/wish';
import type { FilledForm } from '#policy/approval-form';
import type { LiveRun, RunPlace, RunSpec } from '#sessions/live-run';
import type { EngineParts } from './parts.ts';

export interface PackageParts {
  readonly policy: PackagePolicy;
  readonly store: PackageStore;
}

interface Declared {
  readonly wishes: readonly PackageWish[];
  readonly code: string;
}

/** Languages whose programs can say what they need. */
const READERS: Readonly<Record<string, (code: string) => Declared>> = {
  python: (code) => ({ wishes: declaredInPython(code), code }),
  javascript: declaredInJavaScript,
  typescript: declaredInJavaScript,
};

/** The program as it will run, and what has to be done before. Throws AppError for what cannot be asked for. */
export function preparePackages(
  parts: EngineParts,
  language: string,
  sent: string,
  person: Person | undefined,
): { code: string; prepare: RunSpec['prepare'] } {
  const read = READERS[language];
  const { wishes, code } = read?.(sent) ?? { wishes: [], code: sent };
  const wanted = unite([], wishes);
  const { mode, registries } = parts.packages.policy;
  if (mode === 'off' || wanted.length === 0) return { code, prepare: undefined };
  const usable = wanted.filter(({ ecosystem }) => registries[ecosystem] !== undefined);
  if (usable.length === 0) return { code, prepare: undefined };
  return { code, prepare: (place, run) => prepare(parts, usable, place, run, person) };
}

async function prepare(
  { packages, desk, upstreams }: EngineParts,
  wanted: readonly PackageWish[],
  place: RunPlace,
  run: LiveRun,
  person: Person | undefined,
): Promise<void> {
  const missing: PackageWish[] = [];
  for (const wish of wanted) if (!(await isInWorkspace(place.workspace, wish))) missing.push(wish);
  if (missing.length === 0) return;
  if (place.packages === undefined) {
    run.hints.push('this wall cannot show installed packages; the program has those of the machine only');
    return;
  }
  if (
    packages.policy.mode === 'ask' &&
    !(await isAllowed(desk, upstreams.gate.isDeskOpen, missing, place, run, person))
  ) {
    run.hints.push(`${missing.map(wishText).join(', ')} not installed: nobody could be asked; ${PERSON_CAN}`);
    return;
  }
  await fillShelf(packages.store, place.packages, missing, place.signal);
}

export const PERSON_CAN = 'a person can allow installs with --packages allow';

/** Throws POLICY_DENIED when a person said no. */
async function isAllowed(
  desk: EngineParts['desk'],
  isDeskOpen: boolean,
  wishes: readonly PackageWish[],
  place: RunPlace,
  run: LiveRun,
  person: Person | undefined,
): Promise<boolean> {
  const names = wishes.map(wishText);
  const elicit = (run.person ?? person)?.elicit;
  const wish = {
    server: 'packages',
    tool: 'install',
    args: Object.fromEntries(
      ['pypi', 'npm'].map((name) => [name, wishes.filter((one) => one.ecosystem === name).map(wishText)]),
    ),
    fingerprint: names.join('\n'),
    session: run.session,
    caller: run.spec.caller,
    sessionKey: place.sessionKey,
    runKey: run,
    signal: place.signal,
  };
  if (!elicit && !isDeskOpen) return desk.isKnown(wish);
  using _hold = run.clock.hold();
  const verdict = await desk.ask({
    ...wish,
    show: elicit && (async (form, taken) => (await elicit({ ...form }, taken)) as unknown as FilledForm),
  });
  if (verdict.kind === 'allow') return true;
  throw new AppError('POLICY_DENIED', `${names.join(', ')} may not be installed: ${verdict.why}`, {
    hint: `Do without, or ask the person; ${PERSON_CAN}`,
  });
}

/** What the program brought itself is not fetched. */
async function isInWorkspace(workspace: string, { ecosystem, name }: PackageWish): Promise<boolean> {
  if (ecosystem !== 'npm') return false;
  return lstat(join(workspace, 'node_modules', name)).then(
    () => true,
    () => false,
  );
}
