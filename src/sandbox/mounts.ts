/**
 * Host folders behind the wall (`--mount`), and what in them must not be writable.
 *
 * Files that run on the host later without anybody asking (hooks of git, tasks of an editor, servers in `.mcp.json`,
 * shell profiles, programs on PATH) would let a program act on the host after the fact. In a writable mount they are
 * read-only where they exist, and at its top they cannot be made either: an empty place holder is put there for as long
 * as the sandbox lives, and mounted read-only onto itself.
 */
import { lchown, lstat, mkdir, readdir, realpath, rmdir, stat, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { AppError, errnoOf, messageOf } from '#contracts/errors';
import type { MountRequest } from './backend.ts';

/** Where a host folder, or a part of one, appears. Later ones stand on earlier ones. */
export type MountStep =
  | {
      readonly kind: 'bind';
      readonly source: string;
      readonly target: string;
      readonly mode: 'ro' | 'rw';
      /** The mounted folder that the source is, or is in. */
      readonly userFolder: string;
    }
  | { readonly kind: 'cover'; readonly path: string };

export interface MountPlan {
  readonly steps: readonly MountStep[];
  /** Takes the place holders away again, when no other sandbox of this server needs them. */
  release(): Promise<void>;
}

export interface MountRules {
  readonly home: string;
  readonly stateDir: string;
  /** Folders with programs that the host runs: PATH, Sallyport itself. */
  readonly hostPrograms: readonly string[];
}

/**
 * What tools of the host look for by themselves in every folder that they are opened in. `.git` as a whole: hooks are
 * only one of its ways to run something (`config`, `commondir`, `info/attributes`, …).
 */
const GUARDED_FOLDERS = ['.git', '.vscode', '.cursor', '.claude'];
const GUARDED_FILES = ['.mcp.json'];
/** Run only from a home, or once somebody has asked for it: guarded where they exist. */
const GUARDED_IF_PRESENT = [
  '.bash_login',
  '.bash_logout',
  '.bash_profile',
  '.bashrc',
  '.devcontainer',
  '.envrc',
  '.exrc',
  '.gitconfig',
  '.gitmodules',
  '.husky',
  '.idea',
  '.profile',
  '.ssh',
  '.vimrc',
  '.zlogin',
  '.zprofile',
  '.zshenv',
  '.zshrc',
];
const GUARDED = new Set([...GUARDED_FOLDERS, ...GUARDED_FILES, ...GUARDED_IF_PRESENT]);

/** How far below the top of a mount guarded names are looked for. */
const SEARCH_DEPTH_MAX = 3;
const SEARCH_ENTRIES_MAX = 5_000;

/** Never shown: what the kernel makes up, and where services listen. */
const NEVER_MOUNTED = ['/proc', '/sys', '/dev', '/run/user', '/var/run'];
/** Programs and settings of the host itself. */
const NEVER_WRITABLE = ['/bin', '/boot', '/etc', '/lib', '/lib32', '/lib64', '/sbin', '/usr', '/nix', '/gnu'];

/** Anything that a folder can be called. */
const NAME = /^[^/\0\n]{1,255}$/;

/** Throws INVALID_CONFIG for a mount that may not be. `workspaceInside` is where the names appear. */
export async function planMounts(
  requests: readonly MountRequest[],
  rules: MountRules,
  workspaceInside: string,
): Promise<MountPlan> {
  const steps: MountStep[] = [];
  const held: string[] = [];
  const release = async () => {
    for (const path of held.splice(0)) await letGo(path);
  };
  try {
    for (const request of requests) {
      const source = await checkedSource(request, rules);
      const target = `${workspaceInside}/${request.name}`;
      steps.push({ kind: 'bind', source, target, mode: request.mode, userFolder: source });
      if (request.mode === 'ro') {
        if (isWithin(rules.stateDir, source)) steps.push({ kind: 'cover', path: at(target, source, rules.stateDir) });
        continue;
      }
      const guarded = await guardedPaths(source, rules, held);
      const covered = isWithin(rules.stateDir, source) ? [rules.stateDir] : [];
      const bind = (path: string, mode: 'ro' | 'rw') =>
        steps.push({ kind: 'bind', source: path, target: at(target, source, path), mode, userFolder: source });
      for (const path of foldersBetween(source, [...guarded, ...covered])) bind(path, 'rw');
      for (const path of guarded) bind(path, 'ro');
      for (const path of covered) steps.push({ kind: 'cover', path: at(target, source, path) });
    }
    return { steps, release };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Makes the folders in the workspace that mounts go to. A link there would lead the mount, or bwrap, elsewhere. */
export async function makeMountPoints(
  workspace: string,
  names: readonly string[],
  owner: number | undefined,
): Promise<void> {
  for (const name of names) {
    const path = join(workspace, name);
    try {
      await mkdir(path, { mode: 0o755 });
      if (owner !== undefined) await lchown(path, owner, owner);
    } catch (cause) {
      if (errnoOf(cause) !== 'EEXIST')
        throw new AppError('SANDBOX_FAILED', `Cannot mount "${name}": ${messageOf(cause)}`, { cause });
      if (!(await lstat(path)).isDirectory()) {
        throw new AppError('SANDBOX_FAILED', `Cannot mount "${name}": the workspace has a file or link of that name`, {
          hint: `Remove "${name}" from the workspace, or mount the folder under another name`,
        });
      }
    }
  }
}

async function checkedSource({ source, name, mode }: MountRequest, rules: MountRules): Promise<string> {
  if (!NAME.test(name) || name === '.' || name === '..') {
    throw refusal(
      source,
      `"${name}" cannot be the name of a folder in the workspace`,
      'Mount a folder with another name',
    );
  }
  const real = await realpath(source).catch((cause: unknown) => {
    throw refusal(source, `it cannot be opened: ${errnoOf(cause) ?? messageOf(cause)}`, 'Name a folder that exists');
  });
  if (!(await stat(real)).isDirectory())
    throw refusal(source, 'it is not a folder', 'Mount the folder that the file is in');
  if (real === '/' || NEVER_MOUNTED.some((path) => isWithin(real, path))) {
    throw refusal(source, 'it shows the processes and services of this machine', 'Name a folder with files');
  }
  if (isWithin(real, rules.stateDir)) throw refusal(source, "it holds Sallyport's own state", 'Name another folder');
  if (mode === 'rw') refuseWritable(source, real, rules);
  return real;
}

function refuseWritable(source: string, real: string, { home }: MountRules): void {
  const hint = `Mount it read-only (${source}:ro), or name a folder below it`;
  if (isWithin(home, real)) throw refusal(source, 'it holds the home folder, which is never writable', hint);
  if (NEVER_WRITABLE.some((path) => isWithin(real, path)))
    throw refusal(source, 'it holds programs or settings of this machine', hint);
  const [first = ''] = isWithin(real, home) ? relative(home, real).split(sep) : [];
  if (first.startsWith('.') && first !== '.cache') {
    throw refusal(source, `"${first}" in the home folder holds settings that run on this machine later`, hint);
  }
}

function refusal(source: string, reason: string, hint: string): AppError {
  return new AppError('INVALID_CONFIG', `Cannot mount "${source}": ${reason}`, { hint });
}

async function guardedPaths(source: string, rules: MountRules, held: string[]): Promise<string[]> {
  const top = [...GUARDED_FOLDERS, ...GUARDED_FILES].map((name) => join(source, name));
  for (const path of top) {
    if (await hold(path)) held.push(path);
  }
  const programs = rules.hostPrograms.filter((path) => path !== source && isWithin(path, source));
  const found = await findGuarded(source);
  // What is inside of another guarded folder is guarded with it.
  const all = [...new Set([...found, ...programs])].sort();
  return all.filter((path) => !all.some((other) => other !== path && isWithin(path, other)));
}

/**
 * The folders from a mount down to what is guarded in it, upper ones first. Each is mounted onto itself: a mount point
 * cannot be moved away, and so nothing else can take the place of what is below it.
 */
function foldersBetween(source: string, guarded: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const path of guarded) {
    for (let folder = dirname(path); folder !== source && isWithin(folder, source); folder = dirname(folder)) {
      folders.add(folder);
    }
  }
  return [...folders].sort();
}

/** A link of a guarded name cannot be guarded itself: anybody who may write beside it could put a file in its place. */
async function findGuarded(source: string): Promise<string[]> {
  const found: string[] = [];
  const folders: Array<{ path: string; depth: number }> = [{ path: source, depth: 0 }];
  let seen = 0;
  for (let folder = folders.shift(); folder && seen < SEARCH_ENTRIES_MAX; folder = folders.shift()) {
    const entries = await readdir(folder.path, { withFileTypes: true }).catch(() => []); // not ours to read
    for (const entry of entries) {
      seen++;
      const path = join(folder.path, entry.name);
      if (GUARDED.has(entry.name) && entry.isSymbolicLink()) {
        throw refusal(
          source,
          `"${relative(source, path)}" runs on this machine later and is a link, which cannot be guarded`,
          `Mount it read-only (${source}:ro), or put a real file or folder in the place of the link`,
        );
      }
      if (GUARDED.has(entry.name)) found.push(path);
      else if (entry.isDirectory() && folder.depth < SEARCH_DEPTH_MAX && entry.name !== 'node_modules') {
        folders.push({ path, depth: folder.depth + 1 });
      }
    }
  }
  return found;
}

/** How many sandboxes of this server rely on a place holder. */
const holders = new Map<string, number>();

/** Puts an empty place holder where nothing is. True when it, or an earlier one of ours, is there. */
async function hold(path: string): Promise<boolean> {
  const count = holders.get(path);
  if (count === undefined) {
    try {
      if (GUARDED_FILES.includes(basename(path))) await writeFile(path, '', { flag: 'wx', mode: 0o644 });
      else await mkdir(path);
      // Like the folder it is in, so that its owner can remove it if this server is killed.
      const { uid, gid } = await stat(dirname(path));
      if (process.getuid?.() === 0) await lchown(path, uid, gid);
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') return false;
      throw new AppError('SANDBOX_FAILED', `Cannot guard "${path}" in a writable mount: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }
  holders.set(path, (count ?? 0) + 1);
  return true;
}

/** Only what is still empty is removed: somebody on the host may have begun to use it. */
async function letGo(path: string): Promise<void> {
  const count = (holders.get(path) ?? 1) - 1;
  if (count > 0) {
    holders.set(path, count);
    return;
  }
  holders.delete(path);
  const info = await lstat(path).catch(() => undefined);
  if (info?.isDirectory()) await rmdir(path).catch(() => {});
  else if (info?.isFile() && info.size === 0) await unlink(path).catch(() => {});
}

function at(target: string, source: string, path: string): string {
  return join(target, relative(source, path));
}

/** Whether `path` is `folder` or below it. */
function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
