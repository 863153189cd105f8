import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const FIXTURE = fileURLToPath(new URL('./fixture/', import.meta.url));
const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A copy of the launcher and its scripts around a stand-in for the program, as fresh as after `git clone`. */
export class Checkout {
  /** The folder that the launcher is started from, when nothing else is said. */
  readonly base: string;
  /** The folder of the checkout; has spaces in its name. */
  readonly folder: string;
  readonly launcher: string;

  private constructor(base: string) {
    this.base = base;
    this.folder = join(base, 'a check out');
    this.launcher = join(this.folder, 'sallyport');
  }

  static async create(): Promise<Checkout> {
    const checkout = new Checkout(await realpath(await mkdtemp(join(tmpdir(), 'sallyport-launcher-'))));
    const { folder } = checkout;
    await mkdir(folder);
    for (const name of ['sallyport', 'scripts', 'package.json', 'package-lock.json', 'tsconfig.json', 'src/inside']) {
      await cp(join(ROOT, name), join(folder, name), { recursive: true });
    }
    await cp(join(FIXTURE, 'main.ts'), join(folder, 'src/main.ts'));
    await mkdir(checkout.path('bin'));
    await cp(join(FIXTURE, 'npm'), checkout.path('bin/npm'));
    await symlink(process.execPath, checkout.path('bin/node'));
    return checkout;
  }

  /** A place beside the checkout. */
  path(name: string): string {
    return join(this.base, name);
  }

  /** Starts a command as a person would, by default the launcher from the folder beside the checkout. */
  async start(args: readonly string[], options: StartOptions = {}): Promise<Finished> {
    const child = spawn(options.command ?? this.launcher, args, {
      cwd: options.cwd ?? this.base,
      env: { ...this.#environment(), ...options.env },
      ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
    });
    child.stdin.on('error', () => {}); // refused before it read anything
    child.stdin.end(options.stdin ?? '');
    const ended = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
    const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    return { code, stdout, stderr };
  }

  /** How often npm was called so far. */
  async npmCalls(): Promise<number> {
    const log = await readFile(this.path('npm.log'), 'utf8').catch(() => '');
    return log.split('\n').length - 1;
  }

  async setOffline(offline: boolean): Promise<void> {
    if (offline) await writeFile(this.path('offline'), '');
    else await rm(this.path('offline'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.base, { recursive: true, force: true });
  }

  #environment(): NodeJS.ProcessEnv {
    return {
      PATH: `${this.path('bin')}:/usr/bin:/bin`,
      FAKE_NPM_LOG: this.path('npm.log'),
      FAKE_NPM_OFFLINE: this.path('offline'),
      FAKE_NPM_SOURCE: join(ROOT, 'node_modules'),
    };
  }
}

interface StartOptions {
  readonly command?: string;
  readonly cwd?: string;
  readonly stdin?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly uid?: number;
}
