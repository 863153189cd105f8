/**
 * Folders that the sandbox's user cannot reach on the host, shown where it can.
 *
 * A server that is root often keeps its state, or a pyenv, under a home that nobody else may enter. Opening that home
 * would be wrong, so each sandbox starts in a mount namespace of its own, where such folders also appear in the stage:
 * a row of empty places that exist once per server. On the host nothing is ever mounted there.
 *
 * Workspaces come and go while the places of a waiting door are settled, so the folder that holds all homes is shown as
 * a whole, and a home lets others pass through. That opens nothing on the host: the state folder above stays closed.
 */
import { chmodSync, mkdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rmdir, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { isSameProcess } from '../../process.ts';
import type { WallEntry } from './arguments.ts';

/** What a wall needs on the stage, each once; its place follows from where it stands in this list. */
export type StageNeeds = readonly StageNeed[];

interface StageNeed {
  readonly source: string;
  /** Shown as if it belonged to the sandbox's user. */
  readonly isOwned: boolean;
}

/** Files that `enter.sh` reads; undefined where there is nothing of the kind. */
export interface StageFiles {
  readonly fstab: string | undefined;
  readonly owned: string | undefined;
}

const NAME = /^sallyport-stage-(\d+)-(\d+)-/;
const PASSABLE = 0o711;

export class Stage {
  readonly #root: string;
  readonly #homes: string;
  /** Text → file; there are few different ones. */
  readonly #files = new Map<string, string>();

  private constructor(root: string, homes: string) {
    this.#root = root;
    this.#homes = homes;
  }

  /** `server` is `PID-STARTED`; `homes` is the folder that holds the sessions' folders. */
  static async open(server: string, homes: string): Promise<Stage> {
    for (const parent of stageParents()) await sweep(parent);
    const root = await makeRoot(`sallyport-stage-${server}-`);
    await chmod(root, PASSABLE);
    return new Stage(root, homes);
  }

  /** `canOwn`: whether folders can be shown as the user's own. */
  needs(entries: readonly WallEntry[], canOwn: boolean): StageNeeds {
    const needs = entries.flatMap((entry) => this.#needOf(entry, canOwn)?.need ?? []);
    const unique = new Map(needs.map((need) => [need.source, need]));
    return [...unique.values()].sort((a, b) => (a.source < b.source ? -1 : 1));
  }

  files(needs: StageNeeds): StageFiles {
    const pairs = needs.map(({ source, isOwned }, index) => ({ source, isOwned, place: this.#place(source, index) }));
    for (const { source, place } of pairs) makePlace(place, isFolder(source));
    const lines = pairs.filter(({ isOwned }) => !isOwned).map(({ source, place }) => fstabLine(source, place));
    const owned = pairs.filter(({ isOwned }) => isOwned).map(({ source, place }) => `${source}\0${place}\0`);
    return { fstab: this.#file(lines.join('')), owned: this.#file(owned.join('')) };
  }

  /** The same wall with sources that the user can reach, behind a door that was opened for these needs. */
  shownEntries(entries: readonly WallEntry[], needs: StageNeeds): WallEntry[] {
    const canOwn = needs.some(({ isOwned }) => isOwned);
    return entries.map((entry) => {
      const staged = this.#needOf(entry, canOwn);
      if (entry.kind !== 'bind' || staged === undefined) return entry;
      const { source, need } = staged;
      if (need.source === this.#homes) letPass(this.#homes, source);
      const index = needs.findIndex((other) => other.source === need.source);
      return { ...entry, source: join(this.#place(need.source, index), relative(need.source, source)) };
    });
  }

  async close(): Promise<void> {
    for (const file of this.#files.values()) await unlink(file).catch(() => {});
    await removeEmpty(this.#root);
  }

  /** What is put on the stage for an entry; undefined when its source can be used where it is. */
  #needOf(entry: WallEntry, canOwn: boolean): { readonly source: string; readonly need: StageNeed } | undefined {
    if (entry.kind !== 'bind') return undefined;
    const source = realpathSync.native(entry.source);
    if (entry.userFolder !== undefined && canOwn) return { source, need: { source: entry.userFolder, isOwned: true } };
    if (canReach(source)) return undefined;
    // All homes at once for what is in one of them, unless others could reach them on the host.
    const isHome = source.startsWith(`${this.#homes}/`) && !canReach(this.#homes);
    return { source, need: { source: isHome ? this.#homes : source, isOwned: false } };
  }

  #file(text: string): string | undefined {
    if (text === '') return undefined;
    const known = this.#files.get(text);
    if (known !== undefined) return known;
    const file = join(this.#root, `list-${this.#files.size}`);
    writeFileSync(file, text, { mode: 0o600 });
    this.#files.set(text, file);
    return file;
  }

  #place(source: string, index: number): string {
    return join(this.#root, `${isFolder(source) ? 'folder' : 'file'}-${index}`);
  }
}

/** Whether everybody may pass through the folders above. What the path itself allows is no matter of its place. */
function canReach(path: string): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
    if (folder === '/') return true;
  }
}

/** Everybody may pass through the folders from `top` down to where `path` is. */
function letPass(top: string, path: string): void {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    chmodSync(folder, PASSABLE);
    if (folder === top) return;
  }
}

function makePlace(place: string, asFolder: boolean): void {
  if (asFolder) mkdirSync(place, { recursive: true, mode: PASSABLE });
  else writeFileSync(place, '', { flag: 'a', mode: 0o444 });
}

function isFolder(path: string): boolean {
  return statSync(path).isDirectory();
}

function fstabLine(source: string, place: string): string {
  // Fields are separated by blanks, and octal escapes are known.
  const [from, to] = [source, place].map((path) =>
    path.replace(/[\s\\#]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`),
  );
  return `${from} ${to} none rbind 0 0\n`;
}

function stageParents(): string[] {
  return ['/run', tmpdir()];
}

async function makeRoot(prefix: string): Promise<string> {
  const [first = '', second = ''] = stageParents();
  try {
    return await mkdtemp(join(first, prefix));
  } catch {
    return mkdtemp(join(second, prefix)); // a container without /run
  }
}

async function sweep(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    const [, pid, started] = NAME.exec(name) ?? [];
    if (pid === undefined || started === undefined || isSameProcess({ pid: Number(pid), started })) continue;
    await removeEmpty(join(parent, name));
  }
}

/** Never recursive: should a folder of the user ever be mounted here, it must survive this. */
async function removeEmpty(root: string): Promise<void> {
  for (const entry of await readdir(root, { withFileTypes: true }).catch(() => [])) {
    const path = join(root, entry.name);
    if (entry.isDirectory()) await rmdir(path).catch(() => {});
    else if (statSync(path).size === 0 || entry.name.startsWith('list-')) await unlink(path).catch(() => {});
  }
  await rmdir(root).catch(() => {});
}
