/**
 * Installed packages on disk: `<state>/packages/ECOSYSTEM-HASH/`, one folder for each set of wishes, complete or absent.
 * Runs that want the same set at the same time share one install; it ends early only when all of them have gone.
 */
import { createHash, randomUUID } from 'node:crypto';
import { chmod, mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, errnoOf, messageOf } from '#contracts/errors';
import { BOUNDS } from '#contracts/limits';
import type { Ecosystem } from '#contracts/packages';
import type { Logger } from '#observability/logger';
import { type InstallTools, installCommand } from './commands.ts';
import { type HelperEnd, runHelper } from './helper.ts';
import { type PackageWish, wishText } from './wish.ts';

export interface StoreParts {
  readonly directory: string;
  readonly tools: () => Promise<InstallTools>;
  /** What the helper process needs to reach the registries; nothing of it is shown to programs. */
  readonly env: Readonly<Record<string, string>>;
  /** Addresses that a person named instead of the tools' own. */
  readonly registries: Readonly<Partial<Record<Ecosystem, string>>>;
  readonly logger: Logger;
}

interface Attempt {
  readonly folder: Promise<string>;
  readonly gone: AbortController;
  waiting: number;
}

const MISSING_TOOL: Readonly<Record<Ecosystem, string>> = {
  pypi: 'Install uv, or pip for the Python that programs use (apt install python3-pip)',
  npm: 'Install npm, so that it is on the PATH',
};

export class PackageStore {
  readonly #parts: StoreParts;
  readonly #attempts = new Map<string, Attempt>();

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  /** The folder that has these packages, all of one ecosystem. */
  async get(ecosystem: Ecosystem, wishes: readonly PackageWish[], signal: AbortSignal): Promise<string> {
    const tools = await this.#parts.tools();
    const key = `${ecosystem}-${this.#hash(ecosystem, wishes, tools)}`;
    const folder = join(this.#parts.directory, key);
    if (await isFolder(folder)) {
      await utimes(folder, new Date(), new Date());
      return folder;
    }
    const attempt = this.#attempts.get(key) ?? this.#begin(key, folder, ecosystem, wishes, tools);
    return waitFor(attempt, signal);
  }

  /** Ends what is being installed. */
  close(): void {
    for (const { gone } of this.#attempts.values()) gone.abort();
  }

  #begin(
    key: string,
    folder: string,
    ecosystem: Ecosystem,
    wishes: readonly PackageWish[],
    tools: InstallTools,
  ): Attempt {
    const gone = new AbortController();
    const installing = this.#install(folder, ecosystem, wishes, tools, gone.signal);
    const attempt: Attempt = { folder: installing.finally(() => this.#attempts.delete(key)), gone, waiting: 0 };
    this.#attempts.set(key, attempt);
    return attempt;
  }

  async #install(
    folder: string,
    ecosystem: Ecosystem,
    wishes: readonly PackageWish[],
    tools: InstallTools,
    signal: AbortSignal,
  ): Promise<string> {
    const command = installCommand(ecosystem, wishes, tools, this.#parts.registries[ecosystem]);
    if (!command)
      throw new AppError('PACKAGES_FAILED', `There is no tool to install from ${ecosystem}`, {
        hint: MISSING_TOOL[ecosystem],
      });
    const work = join(this.#parts.directory, `.work-${randomUUID()}`);
    await mkdir(work, { recursive: true, mode: 0o700 });
    try {
      await writeFile(join(work, command.input.name), command.input.text);
      const { env } = this.#parts;
      const end = await runHelper({ ...command, cwd: work, env, timeoutMs: BOUNDS.packagesInstallMs, signal }).catch(
        (cause: unknown) => {
          throw new AppError('PACKAGES_FAILED', `${command.file} could not be started: ${messageOf(cause)}`, { cause });
        },
      );
      if (signal.aborted) throw new AppError('PACKAGES_FAILED', 'The install was cancelled');
      if (end.exitCode !== 0) throw installFailed(ecosystem, wishes, end);
      const result = join(work, command.result);
      await mkdir(result, { recursive: true });
      await makeReadable(result);
      await rename(result, folder).catch((cause: unknown) => {
        if (errnoOf(cause) !== 'ENOTEMPTY' && errnoOf(cause) !== 'EEXIST') throw cause; // another process was first
      });
      await this.#prune();
      return folder;
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  }

  /** The sets that were not used for longest go. */
  async #prune(): Promise<void> {
    const names = (await readdir(this.#parts.directory)).filter((name) => !name.startsWith('.'));
    if (names.length <= BOUNDS.packageSetsMax) return;
    const aged = await Promise.all(
      names.map(async (name) => ({ name, usedMs: (await stat(join(this.#parts.directory, name))).mtimeMs })),
    );
    aged.sort((a, b) => a.usedMs - b.usedMs);
    for (const { name } of aged.slice(0, aged.length - BOUNDS.packageSetsMax)) {
      await rm(join(this.#parts.directory, name), { recursive: true, force: true });
      this.#parts.logger.debug(`Removed the packages ${name}`);
    }
  }

  #hash(ecosystem: Ecosystem, wishes: readonly PackageWish[], { python }: InstallTools): string {
    const facts = [
      wishes.map(wishText),
      this.#parts.registries[ecosystem] ?? null,
      ecosystem === 'pypi' ? python : process.version,
      process.platform,
      process.arch,
    ];
    return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 32);
  }
}

/** One of those who wait may go; the last one takes the install with it. */
async function waitFor(attempt: Attempt, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const { promise: left, reject } = Promise.withResolvers<never>();
  const leave = () => reject(new AppError('PACKAGES_FAILED', 'The install was cancelled'));
  signal.addEventListener('abort', leave, { once: true });
  attempt.waiting += 1;
  try {
    return await Promise.race([attempt.folder, left]);
  } finally {
    signal.removeEventListener('abort', leave);
    attempt.waiting -= 1;
    if (attempt.waiting === 0) attempt.gone.abort();
    attempt.folder.catch(() => {}); // told to nobody when all have gone
  }
}

/** Programs run as another user, whatever the server's own files are like. */
async function makeReadable(folder: string): Promise<void> {
  let bytes = 0;
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await chmod(path, 0o755);
    if (!entry.isFile()) continue;
    const { mode, size } = await stat(path);
    if ((mode & 0o444) !== 0o444) await chmod(path, mode | 0o444);
    bytes += size;
    if (bytes > BOUNDS.packagesBytesMax)
      throw new AppError('PACKAGES_FAILED', `The packages are larger than ${BOUNDS.packagesBytesMax / 1024 ** 2} MiB`);
  }
}

function installFailed(ecosystem: Ecosystem, wishes: readonly PackageWish[], end: HelperEnd): AppError {
  const asked = wishes.map(wishText).join(', ').slice(0, 200);
  if (end.timedOut)
    return new AppError(
      'PACKAGES_FAILED',
      `${asked} could not be installed within ${BOUNDS.packagesInstallMs / 1000} s`,
    );
  const lines = end.words.split('\n').filter((line) => /error|ERR!|not found|no matching|could not/i.test(line));
  const said = (lines.length > 0 ? lines : end.words.split('\n')).map(plainLine).filter((line) => line !== '');
  return new AppError(
    'PACKAGES_FAILED',
    `${asked} could not be installed from ${ecosystem}: ${said.slice(0, 3).join('; ')}`,
    {
      hint: 'Only packages that need no build and no install script can be had; check name and version',
    },
  );
}

/** Addresses may have a user and a password in them. */
function plainLine(line: string): string {
  return line
    .replaceAll(/[a-z+]+:\/\/\S+/gi, '…')
    .replaceAll(/\p{C}/gu, ' ')
    .trim()
    .slice(0, 200);
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}
