/**
 * Where a session lives on disk: `<state>/sessions/NAME/{workspace,output,hatch,packages}`.
 *
 * A home is held by one server process at a time. `holder.json` says by which; one that a dead process left behind is
 * taken over. Homes without a name (`.own-…`) end with their session, or with the sweep of the next start.
 */

import { constants, existsSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { access, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError, errnoOf } from '#contracts/errors';
import { removeTree } from '#sandbox/remove-tree';

export interface SessionHome {
  readonly directory: string;
  readonly workspace: string;
  readonly output: string;
  /** For the socket of the hatch. */
  readonly hatch: string;
  /** Installed packages, as programs see them. */
  readonly packages: string;
  /** Which packages those are. */
  readonly packageList: string;
}

interface Holder {
  readonly pid: number;
  /** When the process started, in the kernel's own count: tells a process from a later one with the same pid. */
  readonly started: string | null;
  readonly since: string;
}

const HOLDER_FILE = 'holder.json';
const OWN_PREFIX = '.own-';

export class SessionHomes {
  readonly #root: string;
  #count = 0;

  constructor(stateDir: string) {
    this.#root = join(stateDir, 'sessions');
  }

  /** Makes the folder of all homes. Throws AppError when it cannot be had. */
  async prepare(): Promise<void> {
    try {
      await mkdir(this.#root, { recursive: true });
      await access(this.#root, constants.W_OK);
    } catch (cause) {
      throw new AppError(
        'INVALID_CONFIG',
        `The state directory "${dirname(this.#root)}" cannot be made or written to: ${errnoOf(cause) ?? 'unknown error'}`,
        { hint: 'Name another one with --state, or make room for it', cause },
      );
    }
  }

  /** A new home without a name. */
  async createOwn(): Promise<SessionHome> {
    this.#count++;
    const directory = join(this.#root, `${OWN_PREFIX}${process.pid}-${processStart(process.pid) ?? 0}-${this.#count}`);
    await removeTree(directory);
    return makeHome(directory);
  }

  /** Whether a named session has left a workspace here. */
  async exists(name: string): Promise<boolean> {
    return !name.startsWith('.') && existsSync(join(this.#root, name));
  }

  /** Opens a home that exists. */
  async open(name: string): Promise<SessionHome> {
    const home = await makeHome(join(this.#root, name));
    await this.#hold(home, name);
    return home;
  }

  /** Gives an own home a name. Its folders keep their identity, so a sandbox that has them mounted goes on. */
  async adopt(home: SessionHome, name: string): Promise<SessionHome> {
    await this.#hold(home, name);
    const directory = join(this.#root, name);
    try {
      renameSync(home.directory, directory);
    } catch (cause) {
      unlinkSync(join(home.directory, HOLDER_FILE));
      throw new AppError('SESSION_HELD', `Session "${name}" was opened by another process at the same moment`, {
        hint: 'Try again, or use another session name',
        cause,
      });
    }
    return homeAt(directory);
  }

  /** Lets go of a named home; its files stay. */
  async release(home: SessionHome): Promise<void> {
    await rm(join(home.directory, HOLDER_FILE), { force: true });
  }

  async remove(home: SessionHome): Promise<void> {
    await removeTree(home.directory);
  }

  /** All named homes, with the process that holds each. */
  async list(): Promise<Array<{ name: string; holderPid: number | undefined }>> {
    const names = (await this.#entries()).filter((name) => !name.startsWith('.'));
    return Promise.all(
      names.sort().map(async (name) => ({ name, holderPid: (await readHolder(join(this.#root, name)))?.pid })),
    );
  }

  /** The folder of kept output that has this run, among all homes. */
  async findKeptRun(runId: string): Promise<string | undefined> {
    for (const name of await this.#entries()) {
      const directory = join(this.#root, name, 'output', runId);
      const entries = await readdir(directory).catch(() => []); // most homes do not have this run
      if (entries.length > 0) return directory;
    }
    return undefined;
  }

  homeOf(name: string): SessionHome {
    return homeAt(join(this.#root, name));
  }

  /** Removes homes without a name whose process is gone. */
  async sweep(): Promise<void> {
    for (const entry of await this.#entries()) {
      const match = /^\.own-(\d+)-(\d+)-\d+$/.exec(entry);
      if (match && processStart(Number(match[1])) !== match[2]) {
        await removeTree(join(this.#root, entry));
      }
    }
  }

  async #entries(): Promise<string[]> {
    try {
      return await readdir(this.#root);
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return [];
      throw error;
    }
  }

  async #hold(home: SessionHome, name: string): Promise<void> {
    const path = join(home.directory, HOLDER_FILE);
    const mine: Holder = { pid: process.pid, started: processStart(process.pid), since: new Date().toISOString() };
    for (let attempt = 0; attempt < 3; attempt++) {
      try {
        // Not in the thread pool: a new session waits for this, and it takes microseconds.
        writeFileSync(path, JSON.stringify(mine), { flag: 'wx', mode: 0o600 });
        return;
      } catch (error) {
        if (errnoOf(error) !== 'EEXIST') throw error;
      }
      const holder = await readHolder(home.directory);
      if (holder) {
        throw new AppError('SESSION_HELD', `Session "${name}" is held by process ${holder.pid} since ${holder.since}`, {
          hint: `Close it there (sallyport sessions close ${name}) or use another session name`,
        });
      }
      await rm(path, { force: true });
    }
    throw new AppError('SESSION_HELD', `Session "${name}" could not be taken over from a dead process`);
  }
}

/** The living process that holds a home. */
async function readHolder(directory: string): Promise<Holder | undefined> {
  try {
    const holder = JSON.parse(await readFile(join(directory, HOLDER_FILE), 'utf8')) as Holder;
    return isAlive(holder) ? holder : undefined;
  } catch {
    return undefined; // no file, or one that a crash left half-written: nobody holds it
  }
}

function isAlive(holder: Holder): boolean {
  if (holder.started !== null) return processStart(holder.pid) === holder.started;
  try {
    process.kill(holder.pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
}

/** Field 22 of /proc/PID/stat; null where there is no /proc or no such process. */
function processStart(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null; // not Linux, or gone
  }
}

function homeAt(directory: string): SessionHome {
  return {
    directory,
    workspace: join(directory, 'workspace'),
    output: join(directory, 'output'),
    hatch: join(directory, 'hatch'),
    packages: join(directory, 'packages'),
    packageList: join(directory, 'packages.json'),
  };
}

async function makeHome(directory: string): Promise<SessionHome> {
  const home = homeAt(directory);
  await mkdir(home.workspace, { recursive: true, mode: 0o700 });
  await mkdir(home.output, { recursive: true, mode: 0o755 });
  return home;
}
