/**
 * The wall out of Linux namespaces: bubblewrap, a seccomp filter, limits, the host's runtimes read-only.
 *
 * A server that is root gives each sandbox a user of its own; any other server's sandboxes run as its own user. Inside
 * it is always the same nobody, without capabilities.
 */
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '#contracts/errors';
import type { Logger } from '#observability/logger';
import type {
  BackendReport,
  InterpreterId,
  Sandbox,
  SandboxBackend,
  SandboxCapabilities,
  SandboxPlan,
} from '../../backend.ts';
import { findTool, pathFolders } from '../../executables.ts';
import { insidePath } from '../../inside-files.ts';
import { KeptReport } from '../../kept-report.ts';
import type { RuntimeAnswer, RuntimeFinder } from '../../runtimes.ts';
import { buildSandbox } from './build.ts';
import { Doorkeeper } from './doorkeeper.ts';
import { isAtLeast } from './explain.ts';
import { bwrapVersion, probeWall } from './probe.ts';
import { openWorkshop, type Workshop } from './workshop.ts';

export interface BubblewrapOptions {
  /** Sallyport's own Node, which runs JavaScript behind the wall. */
  readonly node: string;
  readonly stateDir: string;
  readonly runtimes: RuntimeFinder;
  readonly logger: Logger;
  /** The host's PATH. */
  readonly path: string;
  readonly home: string;
  /** Instead of the built files that run behind the wall. */
  readonly inside?: string;
}

const INTERPRETERS = ['python', 'javascript', 'bash', 'command'] as const satisfies readonly InterpreterId[];

const EXCEPTIONS = [
  'The kernel is shared with the host: a hole in the kernel is a hole in the wall',
  'The host paths of mounted folders can be read in /proc/self/mountinfo',
  'A Unix socket in a mounted folder can be connected to, as far as its permissions allow',
];

const FAILURE_KEPT_MS = 30_000;

export function createBubblewrapBackend(options: BubblewrapOptions): SandboxBackend {
  return new BubblewrapBackend(options);
}

class BubblewrapBackend implements SandboxBackend {
  readonly name = 'bubblewrap';
  readonly #options: BubblewrapOptions;
  readonly #cacheDir: string;
  readonly #bwrap: string | undefined;
  #missing: readonly InterpreterId[] = [];
  #keeper: Doorkeeper | undefined;
  #version: Promise<string> | undefined;
  #workshop: Promise<Workshop> | undefined;
  readonly #report = new KeptReport(() => this.#probe(), FAILURE_KEPT_MS);

  constructor(options: BubblewrapOptions) {
    this.#options = options;
    this.#cacheDir = join(options.stateDir, 'cache');
    this.#bwrap = findTool('bwrap', options.path);
  }

  /** Before the first probe every interpreter counts as there. */
  get capabilities(): SandboxCapabilities {
    return {
      isolation: 'container',
      interpreters: INTERPRETERS.filter((interpreter) => !this.#missing.includes(interpreter)),
      childProcesses: true,
      followsRenames: true,
      mounts: true,
      packages: true,
      egress: true,
      exceptions: EXCEPTIONS,
    };
  }

  probe(): Promise<BackendReport> {
    return this.#report.get();
  }

  create(plan: SandboxPlan): Promise<Sandbox> {
    return this.#create(plan, true);
  }

  async #create(plan: SandboxPlan, isTypical: boolean): Promise<Sandbox> {
    const [workshop, version, runtimes] = await Promise.all([this.#open(), this.#askVersion(), this.#findRuntimes()]);
    const { node, stateDir, logger, path, home, inside = insidePath() } = this.#options;
    return buildSandbox(
      {
        workshop,
        doorkeeper: this.#doorkeeper(workshop),
        runtimes,
        node: realpathSync(node),
        inside,
        mountRules: {
          home,
          stateDir,
          hostPrograms: [...pathFolders(path), dirname(node), dirname(inside), ...runtimeFolders(runtimes)],
        },
        canDisableUserns: isAtLeast(version, '0.8.0'),
        isTypical,
        logger,
      },
      plan,
    );
  }

  async close(): Promise<void> {
    await this.#keeper?.close();
    const workshop = await this.#workshop?.catch(() => undefined); // what did not open has nothing to close
    await workshop?.close();
  }

  async #probe(): Promise<BackendReport> {
    await this.#findRuntimes();
    const { stateDir, logger } = this.#options;
    return probeWall({
      bwrap: this.#bwrap,
      version: this.#bwrap === undefined ? '0' : await this.#askVersion(),
      cacheDir: this.#cacheDir,
      stateDir,
      logger,
      openWorkshop: () => this.#open(),
      create: (plan) => this.#create(plan, false),
      smallest: this.#missing.includes('bash') ? undefined : 'bash',
    });
  }

  #open(): Promise<Workshop> {
    if (this.#workshop !== undefined) return this.#workshop;
    const opening = openWorkshop(this.#options);
    this.#workshop = opening;
    // A failed attempt is forgotten, or one bad moment would last until the server ends.
    opening.catch(() => {
      if (this.#workshop === opening) this.#workshop = undefined;
    });
    return opening;
  }

  #doorkeeper(workshop: Workshop): Doorkeeper {
    this.#keeper ??= new Doorkeeper(workshop, this.#options.logger);
    return this.#keeper;
  }

  #askVersion(): Promise<string> {
    if (this.#bwrap === undefined) {
      return Promise.reject(
        new AppError('SANDBOX_UNAVAILABLE', 'bubblewrap is not installed', { hint: 'Run `sallyport doctor`' }),
      );
    }
    this.#version ??= bwrapVersion(this.#bwrap, this.#cacheDir, this.#options.logger);
    return this.#version;
  }

  async #findRuntimes(): Promise<Readonly<Record<InterpreterId, RuntimeAnswer>>> {
    const { runtimes } = this.#options;
    const [python, javascript, bash, command] = await Promise.all(INTERPRETERS.map((id) => runtimes.find(id)));
    const answers = { python, javascript, bash, command } as Record<InterpreterId, RuntimeAnswer>;
    this.#missing = INTERPRETERS.filter((interpreter) => !answers[interpreter].found);
    return answers;
  }
}

/** The host itself runs a runtime, to ask where it lives: what is in there is code for the host. */
function runtimeFolders(runtimes: Readonly<Record<InterpreterId, RuntimeAnswer>>): string[] {
  return Object.values(runtimes).flatMap((answer) =>
    answer.found ? answer.runtime.prefixes.map(({ source }) => source) : [],
  );
}
