/**
 * The wall that needs nothing from the system: one Deno process per session, with every permission denied but reading
 * its own runtime and using its workspace. JavaScript and TypeScript run in it natively, Python as WebAssembly, Bash as
 * a shell written in TypeScript, each in a thread of its own.
 *
 * The permissions of the process are the wall; the interpreters inside are not counted on. A process that finds itself
 * with more than it should have ends before it runs anything (`src/inside/embedded/permissions.mjs`).
 */
import { randomBytes } from 'node:crypto';
import { chmod, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError, messageOf } from '#contracts/errors';
import { type Logger, silentLogger } from '#observability/logger';
import type { BackendReport, Sandbox, SandboxBackend, SandboxCapabilities, SandboxPlan } from '../../backend.ts';
import { denoArguments, denoEnvironment } from './arguments.ts';
import { providePythonImage, pythonImagePath } from './image.ts';
import { refuseLinks } from './links.ts';
import { type EmbeddedRuntime, findRuntime } from './runtime.ts';
import { EmbeddedSandbox } from './sandbox.ts';
import { createScratch, removeScratch, sweepScratch } from './scratch.ts';
import { MARK_BYTES } from './wire.ts';

export interface EmbeddedOptions {
  /** Where Python's start-up image is kept. Made when it does not exist. */
  readonly cacheDir: string;
  readonly logger?: Logger;
  /** Folder with what is built of `src/inside`, when it is not the one beside this build. */
  readonly inside?: string;
  /** Who looks at the memory. By itself: from outside where there is a `/proc`, from inside elsewhere. */
  readonly watch?: 'outside' | 'inside';
}

const CAPABILITIES: SandboxCapabilities = {
  isolation: 'process',
  interpreters: ['python', 'javascript', 'bash'],
  childProcesses: false,
  followsRenames: false,
  mounts: false,
  egress: false,
  exceptions: [
    'Programs cannot start other programs, in any language: Deno has no permission to, and the interpreters inside have no processes.',
    'The wall is the permissions of one process, not the kernel: no namespaces, no seccomp filter, and the process belongs to the user who started the server.',
    'Python has its standard library alone (no third-party packages, so no figures and no image scaling), no threads, no sockets, and one hash seed for all sessions.',
    'Bash is a shell written in TypeScript with its own versions of the common commands: no job control, no traps, no git, no compilers; its output appears when a top-level statement has ended.',
    'A program that computes without end inside a built-in function of Python, or in JavaScript when it is cancelled, can only be stopped with the whole session: its variables are lost.',
    'JavaScript has the API of Node as Deno provides it; process.exit() can be caught by the program, which is then no longer heard.',
    'Memory is watched 50 times a second instead of capped by the kernel, and includes about 100 MB that Python itself needs.',
    '/tmp is a folder on the disk that is watched: a program that fills it is stopped instead of told.',
    'The number of cores and of open files is not limited.',
    'Host folders cannot be mounted.',
  ],
};

export function createEmbeddedBackend(options: EmbeddedOptions): SandboxBackend {
  return new EmbeddedBackend(options);
}

class EmbeddedBackend implements SandboxBackend {
  readonly name = 'embedded';
  readonly capabilities = CAPABILITIES;
  readonly #options: EmbeddedOptions;
  readonly #logger: Logger;
  #runtime: EmbeddedRuntime | undefined;
  #report: Promise<BackendReport> | undefined;
  #imagePath: Promise<string> | undefined;
  #image: Promise<string | undefined> | undefined;
  #swept: Promise<void> | undefined;

  constructor(options: EmbeddedOptions) {
    this.#options = options;
    this.#logger = options.logger ?? silentLogger;
  }

  probe(): Promise<BackendReport> {
    this.#report ??= this.#tryWall();
    return this.#report;
  }

  async create(plan: SandboxPlan): Promise<Sandbox> {
    if (plan.mounts.length > 0) {
      throw new AppError('SANDBOX_FAILED', 'The embedded wall cannot mount host folders', {
        hint: 'Leave --mount out, or use another --sandbox',
      });
    }
    const runtime = this.#findRuntime();
    this.#imagePath ??= pythonImagePath(runtime, this.#options.cacheDir);
    const image = await this.#imagePath;
    const [workspace, output] = await Promise.all([realpath(plan.workspace), realpath(plan.output)]);
    await refuseLinks(workspace);
    await closeHome(workspace, output);
    this.#swept ??= sweepScratch();
    await this.#swept;

    const scratch = await createScratch();
    try {
      return await this.#open(runtime, plan, { workspace, output, scratch, image });
    } catch (error) {
      await removeScratch(scratch);
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.#report, this.#image]);
  }

  async #open(runtime: EmbeddedRuntime, plan: SandboxPlan, places: Places): Promise<Sandbox> {
    const mark = randomBytes(MARK_BYTES);
    const watch = this.#options.watch ?? (process.platform === 'linux' ? 'outside' : 'inside');
    const { workspace, output, scratch, image } = places;
    const main = join(runtime.inside, 'main.mjs');
    const sandbox = new EmbeddedSandbox({
      deno: runtime.deno,
      args: denoArguments({
        main,
        reads: [runtime.inside, ...runtime.library, runtime.pyodide, image, workspace, output, scratch],
        writes: [workspace, scratch],
        heapBytesMax: plan.limits.memoryBytes,
      }),
      env: denoEnvironment(main, TIME_ZONE),
      cwd: workspace,
      settings: {
        mark: mark.toString('hex'),
        places: {
          workspace,
          output,
          tmp: scratch,
          inside: runtime.inside,
          pyodide: runtime.pyodide,
          library: runtime.library,
        },
        env: { ...plan.env, ...PROGRAM_ENVIRONMENT },
        user: process.getuid && process.getgid ? { uid: process.getuid(), gid: process.getgid() } : null,
        memoryBytesMax: watch === 'inside' ? plan.limits.memoryBytes : null,
      },
      mark,
      memoryBytesMax: plan.limits.memoryBytes,
      scratch,
      scratchBytesMax: plan.limits.tmpBytes,
      watch,
      logger: this.#logger,
      pythonImage: () => this.#provideImage(runtime, image),
      release: () => removeScratch(scratch),
    });
    await sandbox.stands();
    return sandbox;
  }

  /** Sessions that start Python while the image is being made share that one attempt. Without it Python starts slowly. */
  #provideImage(runtime: EmbeddedRuntime, file: string): Promise<string | undefined> {
    this.#image ??= providePythonImage(runtime, file).then(
      () => file,
      (cause: unknown) => {
        this.#logger.warn("Python's start-up image cannot be made; every start takes seconds", {
          cause: messageOf(cause),
        });
        return undefined;
      },
    );
    return this.#image;
  }

  #findRuntime(): EmbeddedRuntime {
    this.#runtime ??= findRuntime(this.#options.inside === undefined ? {} : { inside: this.#options.inside });
    return this.#runtime;
  }

  async #tryWall(): Promise<BackendReport> {
    try {
      const runtime = this.#findRuntime();
      const folder = await createScratch();
      try {
        const sandbox = await this.create({
          workspace: folder,
          output: folder,
          mounts: [],
          env: {},
          limits: PROBE_LIMITS,
        });
        await sandbox.start('javascript').finally(() => sandbox.kill());
      } finally {
        await removeScratch(folder);
      }
      return {
        works: true,
        details: [
          `Deno ${runtime.denoVersion}, Pyodide ${runtime.pyodideVersion}: one process per session, all permissions denied but its workspace`,
          'isolation by process permissions, not by the kernel',
        ],
      };
    } catch (error) {
      return {
        works: false,
        problem: messageOf(error),
        fix: error instanceof AppError && error.hint ? error.hint : 'Run npm ci, then sallyport doctor again',
      };
    }
  }
}

/**
 * The program may open its workspace to everybody, and mark files in it to run as their owner, who is the server's user.
 * So nobody else may pass through the session's folder, which the program cannot change.
 */
async function closeHome(workspace: string, output: string): Promise<void> {
  const home = dirname(workspace);
  if (process.getuid === undefined || home !== dirname(output)) return;
  const { uid, mode } = await stat(home);
  const isShared = (mode & STICKY) !== 0; // a folder for everybody's temporary files is no session's
  if (uid === process.getuid() && !isShared) await chmod(home, CLOSED);
}

interface Places {
  readonly workspace: string;
  readonly output: string;
  readonly scratch: string;
  readonly image: string;
}

const CLOSED = 0o700;
const STICKY = 0o1000;
const MIB = 1024 * 1024;

const PROBE_LIMITS = {
  memoryBytes: 512 * MIB,
  tmpBytes: 16 * MIB,
  shmBytes: 0,
  workspaceBytes: 16 * MIB,
  processes: 1,
  openFiles: 64,
  cpus: 1,
};

const TIME_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** What programs see besides the plan's own variables, which cannot replace these. */
const PROGRAM_ENVIRONMENT = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/tmp',
  USER: 'user',
  LOGNAME: 'user',
  SHELL: '/bin/bash',
  LANG: 'C.UTF-8',
  TZ: TIME_ZONE,
  TMPDIR: '/tmp',
  TERM: 'dumb',
  PWD: '/workspace',
};
