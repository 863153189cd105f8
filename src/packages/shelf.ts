/**
 * What one session sees of the packages: a folder of its home that is shown read-only behind the wall, with a link to the
 * current set of each ecosystem. The wishes of a session add up; of two versions of a package the later wish counts.
 */
import { mkdir, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Ecosystem } from '#contracts/packages';
import { linkTree } from './link-tree.ts';
import type { PackageStore } from './store.ts';
import { type PackageWish, unite } from './wish.ts';

/** As interpreters look for them. */
const LINKS: Readonly<Record<Ecosystem, string>> = { pypi: 'python', npm: 'node_modules' };
const SETS = 'sets';

/** Runs of one session that ask at once take turns. */
const turns = new Map<string, Promise<void>>();

export async function fillShelf(
  store: PackageStore,
  shelf: { readonly shown: string; readonly list: string },
  wishes: readonly PackageWish[],
  signal: AbortSignal,
): Promise<void> {
  const before = turns.get(shelf.shown) ?? Promise.resolve();
  const turn = before.catch(() => {}).then(() => fill(store, shelf, wishes, signal));
  turns.set(shelf.shown, turn);
  try {
    await turn;
  } finally {
    if (turns.get(shelf.shown) === turn) turns.delete(shelf.shown);
  }
}

async function fill(
  store: PackageStore,
  { shown, list }: { shown: string; list: string },
  wishes: readonly PackageWish[],
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const known = await readList(list);
  const wanted = unite(known, wishes);
  for (const ecosystem of new Set(wishes.map((wish) => wish.ecosystem))) {
    const ofIt = wanted.filter((wish) => wish.ecosystem === ecosystem);
    await show(shown, LINKS[ecosystem], await store.get(ecosystem, ofIt, signal));
  }
  await writeFile(list, JSON.stringify(wanted), { mode: 0o600 });
}

/** The set is complete before the link turns to it; what was shown before goes. */
async function show(shown: string, name: string, set: string): Promise<void> {
  const sets = join(shown, SETS);
  const current = basename(set);
  const link = join(shown, name);
  const old = await readlink(link).catch(() => undefined);
  if (old === `${SETS}/${current}`) return;
  await mkdir(sets, { recursive: true, mode: 0o755 });
  const [kind] = current.split('-');
  for (const other of await readdir(sets)) {
    if (other.startsWith(`${kind}-`) && `${SETS}/${other}` !== old) await rm(join(sets, other), { recursive: true });
  }
  await linkTree(set, join(sets, current));
  await rm(`${link}.next`, { force: true });
  await symlink(`${SETS}/${current}`, `${link}.next`);
  await rename(`${link}.next`, link);
}

async function readList(file: string): Promise<PackageWish[]> {
  const text = await readFile(file, 'utf8').catch(() => '[]');
  try {
    return JSON.parse(text) as PackageWish[];
  } catch {
    return []; // half written by a process that was killed: the session asks again for what it needs
  }
}
