/**
 * The wall out of containers: Podman or Docker, by their command lines. One long-lived container per session, with the
 * same supervisor in it as behind bubblewrap; the engine starts it and takes no part in what follows.
 */
import { existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError, messageOf } from '#contracts/errors';
import type { Logger } from '#observability/logger';
import type {
  BackendReport,
  InterpreterId,
  Sandbox,
  SandboxBackend,
  SandboxCapabilities,
  SandboxLimits,
  SandboxPlan,
} from '../../backend.ts';
import { findTool, pathFolders } from '../../executables.ts';
import { insidePath } from '../../inside-files.ts';
import { KeptReport } from '../../kept-report.ts';
import type { RuntimeAnswer } from '../../runtimes.ts';
import { privateDirectory, serverName } from '../../server-folder.ts';
import { INSIDE } from '../../supervised/places.ts';
import { buildContainer } from './build.ts';
import { Caretaker } from './caretaker.ts';
import { Engine, type EngineFacts, type EngineName } from './engine.ts';
import { explainMissingEngine } from './explain.ts';
import type { ContainerBind, ContainerWall, EngineNeeds } from './flags.ts';
import { DEFAULT_IMAGE, type ImageFacts, ImageStore } from './image.ts';
import { type Trial, tryImage } from './trial.ts';
import { chooseIdentity, type Identity } from './user.ts';

export interface ContainerOptions {
  readonly engine: EngineName;
  readonly image: string | undefined;
  /** `UID[:GID]` that programs have inside. */
  readonly user: string | undefined;
  /** Sallyport's own Node, which runs the gate and JavaScript. */
  readonly node: string;
  readonly stateDir: string;
  readonly logger: Logger;
  /** The host's PATH. */
  readonly path: string;
  readonly home: string;
  /** The host's variables; the engine's command line gets a few of them. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Instead of the built files that run behind the wall. */
  readonly inside?: string;
}

const INTERPRETERS = ['python', 'javascript', 'bash', 'command'] as const satisfies readonly InterpreterId[];

const EXCEPTIONS = [
  'The kernel is shared with the host: a hole in the kernel or in the container engine is a hole in the wall',
  'The host paths of mounted folders can be read in /proc/self/mountinfo',
  'A Unix socket in a mounted folder can be connected to, as far as its permissions allow',
  'The system calls that are refused are those of the engine, which are fewer than behind bubblewrap',
];

const FAILURE_KEPT_MS = 5_000;

/** What stands between a program and the names of the host: our own files instead of the engine's copies. */
const ETC_NAMES = ['hosts', 'resolv.conf'];

export function createContainerBackend(options: ContainerOptions): SandboxBackend {
  return new ContainerBackend(options);
}

/** Everything that is the same for all containers of one server. */
interface Yard {
  readonly engine: Engine;
  readonly facts: EngineFacts;
  readonly identity: Identity;
  readonly images: ImageStore;
  readonly caretaker: Caretaker;
  readonly mkfifo: string;
  readonly directory: string;
  readonly emptyFolder: string;
}

interface TriedImage {
  readonly image: ImageFacts;
  readonly trial: Trial;
}

class ContainerBackend implements SandboxBackend {
  readonly name: EngineName;
  readonly #options: ContainerOptions;
  readonly #image: string;
  readonly #binary: string | undefined;
  #missing: readonly InterpreterId[] = [];
  #yard: Promise<Yard> | undefined;
  #tried: Promise<TriedImage> | undefined;
  readonly #report = new KeptReport(() => this.#probe(), FAILURE_KEPT_MS);

  constructor(options: ContainerOptions) {
    this.#options = options;
    this.name = options.engine;
    this.#image = options.image ?? DEFAULT_IMAGE;
    this.#binary = findTool(options.engine, options.path);
  }

  /** Before an image was tried every interpreter counts as there. */
  get capabilities(): SandboxCapabilities {
    return {
      isolation: 'container',
      interpreters: INTERPRETERS.filter((interpreter) => !this.#missing.includes(interpreter)),
      childProcesses: true,
      followsRenames: true,
      mounts: true,
      egress: true,
      exceptions: EXCEPTIONS,
    };
  }

  /** Pulls nothing: an image that is not there yet is said to be so. */
  probe(): Promise<BackendReport> {
    return this.#report.get();
  }

  async create(plan: SandboxPlan): Promise<Sandbox> {
    const yard = await this.#open();
    // Asked about once: an image that goes away later fails the build, and is looked for again after that.
    const { image, trial } = (await this.#usable()) ?? (await this.#try(yard, await yard.images.provide(this.#image)));
    if (!trial.works) throw new AppError('SANDBOX_UNAVAILABLE', trial.problem, { hint: trial.fix });
    const { node, path, home, stateDir, logger, inside = insidePath() } = this.#options;
    const building = buildContainer(
      {
        ...yard,
        image,
        needs: trial.needs,
        runtimes: trial.runtimes,
        inside,
        mcpCommand: trial.hasPerl ? 'mcp.pl' : 'mcp.mjs',
        mountRules: { home, stateDir, hostPrograms: [...pathFolders(path), dirname(node), dirname(inside)] },
        wall: (needs, limits, command) =>
          this.#wall(yard, { image, needs, limits, command, tmpExecutes: trial.compilers.length > 0 }),
        logger,
      },
      plan,
    );
    building.catch(() => {
      this.#tried = undefined;
    });
    return building;
  }

  async close(): Promise<void> {
    const yard = await this.#yard?.catch(() => undefined); // what did not open has nothing to close
    await yard?.caretaker.close();
  }

  async #probe(): Promise<BackendReport> {
    try {
      const yard = await this.#open();
      const image = await yard.images.find(this.#image);
      const details = this.#details(yard);
      if (!image) return { works: true, details: [...details, `image: ${this.#image}, pulled at its first use`] };
      const { trial } = await this.#try(yard, image);
      if (!trial.works) return trial;
      return { works: true, details: [...details, `image: ${this.#image}`, ...trialDetails(trial)] };
    } catch (error) {
      const hint = error instanceof AppError ? error.hint : undefined;
      return { works: false, problem: messageOf(error), fix: hint ?? 'Use another --sandbox' };
    }
  }

  #details({ engine, facts, identity }: Yard): string[] {
    const kind = facts.isRootless ? 'rootless' : 'rootful: the engine itself is root, programs are not';
    return [
      `${engine.name} ${facts.version} (${engine.binary}), ${kind}`,
      identity.description,
      ...(hasSelinux() ? ['SELinux: its separation of containers is off, so that they can use their folders'] : []),
    ];
  }

  /** One attempt is shared; a failed one is forgotten, or one bad moment would last until the server ends. */
  #open(): Promise<Yard> {
    if (this.#yard !== undefined) return this.#yard;
    const opening = this.#openYard();
    this.#yard = opening;
    opening.catch(() => {
      if (this.#yard === opening) this.#yard = undefined;
    });
    return opening;
  }

  async #openYard(): Promise<Yard> {
    const { path, stateDir, environment, user, logger } = this.#options;
    if (process.platform !== 'linux') {
      throw unavailable(`Containers on ${process.platform} are not part of this version`, 'Use --sandbox embedded');
    }
    if (this.#binary === undefined) {
      const { problem, fix } = explainMissingEngine(this.name);
      throw unavailable(problem, fix);
    }
    const mkfifo = findTool('mkfifo', path);
    if (mkfifo === undefined) throw unavailable('The program "mkfifo" is not installed', 'Install coreutils');
    const engine = new Engine(this.name, this.#binary, environment);
    const facts = await engine.facts();
    refuseUnusable(this.name, facts);
    const identity = chooseIdentity(this.name, facts, user);
    const directory = privateDirectory(join(stateDir, 'run'), serverName());
    const emptyFolder = join(directory, 'empty');
    mkdirSync(emptyFolder, { mode: 0o555 });
    const caretaker = new Caretaker(engine, logger);
    void caretaker.sweep();
    return {
      engine,
      facts,
      identity,
      images: new ImageStore(engine, logger),
      caretaker,
      mkfifo,
      directory,
      emptyFolder,
    };
  }

  async #usable(): Promise<TriedImage | undefined> {
    const known = await this.#tried?.catch(() => undefined); // whoever tried was told
    return known?.trial.works ? known : undefined;
  }

  async #try(yard: Yard, image: ImageFacts): Promise<TriedImage> {
    const known = await this.#tried?.catch(() => undefined);
    if (known?.image.id === image.id) return known;
    this.#tried = this.#tryOnce(yard, image);
    return this.#tried;
  }

  async #tryOnce(yard: Yard, image: ImageFacts): Promise<TriedImage> {
    const { node, stateDir, logger, inside = insidePath() } = this.#options;
    const trial = await tryImage({
      engine: yard.engine,
      facts: yard.facts,
      image,
      imageName: this.#image,
      node,
      inside,
      cacheDir: join(stateDir, 'cache'),
      logger,
      wall: (needs, limits, command) => this.#wall(yard, { image, needs, limits, command, tmpExecutes: false }),
      ended: (name) => yard.caretaker.ended(name),
    });
    if (trial.works) this.#missing = INTERPRETERS.filter((interpreter) => !trial.runtimes[interpreter].found);
    return { image, trial };
  }

  #wall(
    { caretaker, identity, emptyFolder }: Yard,
    parts: {
      readonly image: ImageFacts;
      readonly needs: EngineNeeds;
      readonly limits: SandboxLimits;
      readonly command: readonly string[];
      readonly tmpExecutes: boolean;
    },
  ): ContainerWall {
    const { node, inside = insidePath() } = this.#options;
    const readOnly = (source: string, target: string): ContainerBind => ({ source, target, mode: 'ro' });
    return {
      engine: this.name,
      needs: parts.needs,
      name: caretaker.newName(),
      labels: caretaker.labels,
      image: this.#image,
      user: identity.user,
      keepsUser: identity.keepsUser,
      binds: [
        readOnly(inside, INSIDE.files),
        readOnly(realpathSync(node), INSIDE.node),
        ...ETC_NAMES.map((name) => readOnly(join(inside, 'etc', name), `/etc/${name}`)),
        // A volume would be a place to write without a quota.
        ...parts.image.volumes.map((volume) => readOnly(emptyFolder, volume)),
      ],
      limits: parts.limits,
      hardLimits: { openFiles: hardLimit('open files'), processes: mostProcesses() },
      tmpExecutes: parts.tmpExecutes,
      hasSelinux: hasSelinux(),
      command: parts.command,
      detached: false,
    };
  }
}

function refuseUnusable(engine: EngineName, facts: EngineFacts): void {
  if (facts.isRemote) {
    throw unavailable(
      `This ${engine} runs its containers in a virtual machine or on another host, where Sallyport cannot meet them`,
      'Use an engine of this machine, or another --sandbox',
    );
  }
  if (facts.isRootless && engine === 'docker') {
    throw unavailable(
      'A rootless Docker cannot show folders as the user of its containers',
      'Use --sandbox podman, whose rootless containers can',
    );
  }
}

function unavailable(problem: string, fix: string): AppError {
  return new AppError('SANDBOX_UNAVAILABLE', problem, { hint: fix });
}

function trialDetails({ needs, runtimes, compilers }: Trial & { works: true }): string[] {
  const versions = Object.values(runtimes).flatMap((answer: RuntimeAnswer) =>
    answer.found ? [answer.runtime.version] : [],
  );
  const limits = {
    all: "limits: the engine's control groups",
    'no-cpu': "limits: the engine's control groups; the number of cores is not limited",
    none: 'limits: rlimits and a watchdog that looks at memory every 50 ms; the number of cores is not limited, and memory that no process has mapped is not counted',
  }[needs.groups];
  return [
    `image has: ${versions.join(', ')}${compilers.length > 0 ? `; compilers: ${compilers.join(', ')}` : ''}`,
    ...(needs.runtime === undefined ? [] : [`runtime: ${needs.runtime}, because the engine's own does not work here`]),
    limits,
  ];
}

function hasSelinux(): boolean {
  return existsSync('/sys/fs/selinux/enforce');
}

/** There are never more processes than numbers for them, and some engines cannot ask for more. */
function mostProcesses(): number {
  return Math.min(hardLimit('processes'), Number(readFileSync('/proc/sys/kernel/pid_max', 'latin1')));
}

/** Infinity where there is none. */
function hardLimit(name: string): number {
  const line = new RegExp(`^Max ${name}\\s+\\S+\\s+(\\S+)`, 'm').exec(readFileSync('/proc/self/limits', 'latin1'));
  return line?.[1] === undefined || line[1] === 'unlimited' ? Number.POSITIVE_INFINITY : Number(line[1]);
}
