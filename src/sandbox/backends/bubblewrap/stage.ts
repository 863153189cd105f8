/**
 * Folders that the sandbox's user cannot reach on the host, shown where it can.
 *
 * A server that is root often keeps its state, or a pyenv, under a home that nobody else may enter. Opening that home
 * would be wrong, so each sandbox starts in a mount namespace of its own, where such folders also appear in the stage:
 * a row of empty places that exist once per server. On the host nothing is ever mounted there.
 */
import { realpathSync, statSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rmdir, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isSameProcess } from '../../process.ts';
import type { WallEntry } from './arguments.ts';

export interface StagedWall {
  readonly entries: readonly WallEntry[];
  /** For `mount --all --fstab`; undefined when everything can be reached. */
  readonly fstab: string | undefined;
}

const NAME = /^sallyport-stage-(\d+)-(\d+)-/;

export class Stage {
  readonly #root: string;
  /** How many places there are by now. */
  #folders = 0;
  #files = 0;

  private constructor(root: string) {
    this.#root = root;
  }

  /** `server` is `PID-STARTED`. */
  static async open(server: string): Promise<Stage> {
    for (const parent of stageParents()) await sweep(parent);
    const root = await makeRoot(`sallyport-stage-${server}-`);
    await chmod(root, 0o711);
    return new Stage(root);
  }

  /** The same wall with sources that the user can reach. */
  async show(entries: readonly WallEntry[]): Promise<StagedWall> {
    const lines: string[] = [];
    let folders = 0;
    let files = 0;
    const staged: WallEntry[] = [];
    for (const entry of entries) {
      if (entry.kind !== 'bind') {
        staged.push(entry);
        continue;
      }
      const source = realpathSync(entry.source);
      if (canReach(source)) {
        staged.push(entry);
        continue;
      }
      const place = statSync(source).isDirectory() ? await this.#folder(folders++) : await this.#file(files++);
      lines.push(`${escapeFstab(source)} ${escapeFstab(place)} none rbind 0 0\n`);
      staged.push({ ...entry, source: place });
    }
    return { entries: staged, fstab: lines.length === 0 ? undefined : lines.join('') };
  }

  async close(): Promise<void> {
    await removeEmpty(this.#root);
  }

  async #folder(index: number): Promise<string> {
    const place = join(this.#root, `folder-${index}`);
    if (index >= this.#folders) await mkdir(place, { mode: 0o711, recursive: true });
    this.#folders = Math.max(this.#folders, index + 1);
    return place;
  }

  async #file(index: number): Promise<string> {
    const place = join(this.#root, `file-${index}`);
    if (index >= this.#files) await writeFile(place, '', { flag: 'a', mode: 0o444 });
    this.#files = Math.max(this.#files, index + 1);
    return place;
  }
}

/** Whether everybody may pass through the folders above. What the path itself allows is no matter of its place. */
function canReach(path: string): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
    if (folder === '/') return true;
  }
}

/** fstab separates by blanks and knows octal escapes. */
function escapeFstab(path: string): string {
  return path.replace(/[\s\\#]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
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
    if (pid !== undefined && started !== undefined && !isSameProcess({ pid: Number(pid), started })) {
      await removeEmpty(join(parent, name));
    }
  }
}

/** Never recursive: should a folder of the user ever be mounted here, it must survive this. */
async function removeEmpty(root: string): Promise<void> {
  for (const entry of await readdir(root, { withFileTypes: true }).catch(() => [])) {
    const path = join(root, entry.name);
    if (entry.isDirectory()) await rmdir(path).catch(() => {});
    else if (statSync(path).size === 0) await unlink(path).catch(() => {});
  }
  await rmdir(root).catch(() => {});
}
