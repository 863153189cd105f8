/**
 * The host's hands in a workspace: write the caller's files, read one back, see which changed.
 *
 * The program owns this folder and may put links into it at any moment, and the host may be root. So a path is never
 * followed: each step is opened without following links, checked against where the kernel says it really is, and the
 * next step starts from that open folder (through /proc/self/fd where there is one).
 */
import { constants, type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs';
import { chown, type FileHandle, mkdir, open, readlink, realpath, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, errnoOf } from '#contracts/errors';
import { BOUNDS } from '#contracts/limits';
import type { ChangedFile, InputFile } from '#contracts/run';

const { O_CREAT, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_TRUNC, O_WRONLY } = constants;

export async function writeInputFiles(workspace: string, files: readonly InputFile[]): Promise<void> {
  if (files.length === 0) return;
  const owner = await stat(workspace);
  for (const file of files) {
    await using folder = await openFolder(workspace, file.path.split('/').slice(0, -1), { create: owner });
    const name = file.path.split('/').pop() as string;
    try {
      await using handle = await open(
        folder.child(name),
        O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK,
        0o644,
      );
      if (!(await handle.stat()).isFile()) throw notAFile(file.path);
      await handle.writeFile(file.bytes);
      if (process.getuid?.() === 0) await handle.chown(owner.uid, owner.gid);
    } catch (cause) {
      throw explain(cause, file.path);
    }
  }
}

/** A file of the workspace, at most `bytesMax` long. */
export async function readWorkspaceFile(workspace: string, path: string, bytesMax: number): Promise<Buffer> {
  const steps = path.split('/');
  const name = steps.pop() as string;
  await using folder = await openFolder(workspace, steps, {});
  try {
    await using handle = await open(folder.child(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const info = await handle.stat();
    if (!info.isFile()) throw notAFile(path);
    if (info.size > bytesMax) {
      throw new AppError(
        'INVALID_INPUT',
        `File "${path}" has ${info.size} bytes; at most ${bytesMax} can be read at once`,
        {
          hint: 'Read a part of it with run_code',
        },
      );
    }
    return await handle.readFile();
  } catch (cause) {
    throw explain(cause, path);
  }
}

/** Removes a file of the workspace if it is still the one with these bytes. */
export async function removeWorkspaceFile(workspace: string, path: string, bytes: Uint8Array): Promise<void> {
  const found = await readWorkspaceFile(workspace, path, bytes.length).catch(() => undefined); // another one, or none
  if (!found?.equals(bytes)) return;
  const steps = path.split('/');
  const name = steps.pop() as string;
  await using folder = await openFolder(workspace, steps, {});
  await unlink(folder.child(name));
}

/** An open folder inside the workspace. `child` names an entry of exactly this folder, whatever its path is by now. */
interface OpenFolder extends AsyncDisposable {
  child(name: string): string;
}

async function openFolder(
  workspace: string,
  steps: readonly string[],
  options: { create?: { uid: number; gid: number } },
): Promise<OpenFolder> {
  const root = await realpath(workspace);
  let handle = await open(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  let where = root;
  try {
    for (const step of steps) {
      const path = childPath(handle, where, step);
      if (options.create) await makeFolder(path, options.create);
      const next = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      await handle.close();
      handle = next;
      where = join(where, step);
      await assertInside(handle, root, where);
    }
  } catch (cause) {
    await handle.close();
    throw explain(cause, steps.join('/'));
  }
  const folder = handle;
  return { child: (name) => childPath(folder, where, name), [Symbol.asyncDispose]: () => folder.close() };
}

function childPath(folder: FileHandle, where: string, name: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${folder.fd}/${name}` : join(where, name);
}

async function makeFolder(path: string, owner: { uid: number; gid: number }): Promise<void> {
  try {
    await mkdir(path, { mode: 0o755 });
    if (process.getuid?.() === 0) await chown(path, owner.uid, owner.gid);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

/** Without /proc the kernel's word is had from the path itself: weaker against a race, but such hosts run no native code behind their wall. */
async function assertInside(handle: FileHandle, root: string, where: string): Promise<void> {
  const real = process.platform === 'linux' ? await readlink(`/proc/self/fd/${handle.fd}`) : await realpath(where);
  if (!real.startsWith(`${root}/`)) throw Object.assign(new Error('outside of the workspace'), { code: 'ELOOP' });
}

function notAFile(path: string): AppError {
  return new AppError('INVALID_INPUT', `"${path}" in the workspace is not a plain file`, { hint: 'Use another path' });
}

function explain(cause: unknown, path: string): AppError {
  if (cause instanceof AppError) return cause;
  switch (errnoOf(cause)) {
    case 'ENOENT':
      return new AppError('NOT_FOUND', `No file "${path}" in the workspace`, { cause });
    case 'ELOOP':
    case 'ENXIO':
    case 'EMLINK':
      return new AppError('INVALID_INPUT', `"${path}" leads through a link or is no plain file in the workspace`, {
        hint: 'Use a path without links',
        cause,
      });
    case 'ENOTDIR':
      return new AppError('INVALID_INPUT', `"${path}" leads through a link or a file where a folder is needed`, {
        hint: 'Use a path without links',
        cause,
      });
    case 'EISDIR':
      return new AppError('INVALID_INPUT', `"${path}" in the workspace is a folder`, {
        hint: 'Use another path',
        cause,
      });
    case 'ENOSPC':
    case 'EDQUOT':
      return new AppError('INVALID_INPUT', `No space left for "${path}"`, {
        hint: 'Delete files in /workspace first',
        cause,
      });
    default:
      return new AppError('INTERNAL', `Cannot use "${path}" in the workspace: ${errnoOf(cause) ?? 'unknown error'}`, {
        cause,
      });
  }
}

/** What a workspace looked like. */
export interface WorkspaceSnapshot {
  /** Path → a mark that changes when the file does. */
  readonly files: ReadonlyMap<string, FileMark>;
  /** Path → when an entry was last added, removed or renamed. */
  readonly folders: ReadonlyMap<string, number>;
  readonly takenAt: number;
}

interface FileMark {
  readonly mark: string;
  readonly bytes: number;
}

/** Times of a file system move in steps; a folder that changed so shortly before a look may change again unseen. */
const CLOCK_STEP_MS = 50;
/** Up to so many entries, asking after each is quicker than reading the folders again. */
const ASKED_MAX = 24;

/**
 * Looks at the workspace without following links. Synchronous on purpose: for the few files that there usually are it
 * takes microseconds, where a trip through the thread pool per entry would cost more than the run. Past
 * `scanEntriesMax` entries it gives up, and the answer names no files. Gives `before` back when nothing has changed.
 */
export function scanWorkspace(
  workspace: string,
  skip: ReadonlySet<string>,
  before?: WorkspaceSnapshot,
): WorkspaceSnapshot | undefined {
  if (before && isSame(workspace, before)) return before;
  const takenAt = Date.now();
  const files = new Map<string, FileMark>();
  const folders = new Map<string, number>();
  const toRead = [''];
  let seen = 0;
  for (let folder = toRead.pop(); folder !== undefined; folder = toRead.pop()) {
    folders.set(folder, folderTime(join(workspace, folder)));
    for (const entry of readEntries(join(workspace, folder))) {
      if (++seen > BOUNDS.scanEntriesMax) return undefined;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (isNoise(entry.name) || skip.has(path)) continue;
      if (entry.isDirectory()) toRead.push(path);
      else if (entry.isFile()) addFile(files, workspace, path);
    }
  }
  return { files, folders, takenAt };
}

function isSame(workspace: string, { files, folders, takenAt }: WorkspaceSnapshot): boolean {
  if (files.size + folders.size > ASKED_MAX) return false;
  for (const [path, time] of folders) {
    if (takenAt - time < CLOCK_STEP_MS || folderTime(join(workspace, path)) !== time) return false;
  }
  for (const [path, { mark }] of files) {
    if (markOf(join(workspace, path))?.mark !== mark) return false;
  }
  return true;
}

function folderTime(folder: string): number {
  return look(folder)?.mtimeMs ?? 0;
}

function look(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // deeper than a path can name, or closed by the program
  }
}

function readEntries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // made unreadable or removed by the program meanwhile
  }
}

function addFile(files: Map<string, FileMark>, workspace: string, path: string): void {
  const found = markOf(join(workspace, path));
  if (found) files.set(path, found);
}

function markOf(path: string): FileMark | undefined {
  const info = look(path);
  return info && { mark: `${info.mtimeMs}:${info.ctimeMs}:${info.size}:${info.ino}`, bytes: info.size };
}

/** Caches and hidden files: true changes, but not what the program was asked for. */
function isNoise(name: string): boolean {
  return name.startsWith('.') || name === '__pycache__' || name === 'node_modules';
}

export function changedFiles(before: WorkspaceSnapshot, after: WorkspaceSnapshot): ChangedFile[] {
  const changed: ChangedFile[] = [];
  for (const [path, { mark, bytes }] of after.files) {
    if (before.files.get(path)?.mark !== mark) changed.push({ path, bytes });
  }
  return changed.sort((a, b) => (a.path < b.path ? -1 : 1));
}
