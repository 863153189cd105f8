/**
 * All sessions of this process: opened on first use, kept while they are used, ended when idle, counted against the
 * caps. One attempt to open a session is shared by all who ask for it meanwhile.
 */
import type { Duplex } from 'node:stream';
import { AppError } from '#contracts/errors';
import { BOUNDS, type Limits } from '#contracts/limits';
import type { SessionRef } from '#contracts/run';
import type { Logger } from '#observability/logger';
import type { InterpreterId, MountRequest, Sandbox, SandboxBackend, SandboxPlan } from '#sandbox/backend';
import { chooseBackend, type WallWish } from '#sandbox/select';
import type { SessionHome, SessionHomes } from './home.ts';
import type { OutputMask } from './masked-stream.ts';
import { lackOfFiles } from './open-files.ts';
import { WarmPool } from './pool.ts';
import { type HatchHandler, Session, type WarmStart } from './session.ts';

export interface HouseParts {
  readonly homes: SessionHomes;
  /** In the order in which `auto` tries them. */
  readonly backends: readonly SandboxBackend[];
  readonly wish: WallWish;
  readonly limits: Limits;
  readonly mounts: readonly MountRequest[];
  /** Variables that programs see besides the backend's own. */
  readonly env: Readonly<Record<string, string>>;
  /** Takes connections of programs that want out; undefined where none may. */
  readonly onEgress?: ((connection: Duplex) => void) | undefined;
  /** Interpreters to keep a warm sandbox for. */
  readonly warm: readonly InterpreterId[];
  readonly hatch: HatchHandler;
  /** Takes known secrets out of all that is shown of runs; undefined while none is known. */
  readonly mask: () => OutputMask | undefined;
  /** Told when a session has ended. */
  readonly onEnd: (session: Session) => void;
  readonly logger: Logger;
}

export interface SessionInfo {
  readonly name: string;
  readonly isNamed: boolean;
  readonly backend: string;
  readonly interpreters: readonly InterpreterId[];
  readonly isBusy: boolean;
  readonly runsWaiting: number;
  readonly idleMs: number;
  readonly memoryBytes: number | null;
}

const REAP_EVERY_MS = 5_000;

export class SessionHouse {
  readonly #parts: HouseParts;
  readonly #sessions = new Map<string, Session>();
  readonly #opening = new Map<string, Promise<Session>>();
  readonly #pools = new Map<SandboxBackend, WarmPool>();
  readonly #mountNames: ReadonlySet<string>;
  /** Why a session that is gone was ended, to be told when it is opened again. */
  readonly #endedNotes = new Map<string, string>();
  #reaper: NodeJS.Timeout | undefined;
  #homesReady: Promise<void> | undefined;
  #isClosed = false;

  constructor(parts: HouseParts) {
    this.#parts = parts;
    this.#mountNames = new Set(parts.mounts.map((mount) => mount.name));
  }

  /** The session, opened when it is not yet. `interpreter` is what its first run needs. */
  async lease(ref: SessionRef, interpreter: InterpreterId): Promise<Session> {
    const key = keyOf(ref);
    const known = this.#sessions.get(key);
    if (known) return known;
    const opening =
      this.#opening.get(key) ?? this.#open(ref, key, interpreter).finally(() => this.#opening.delete(key));
    this.#opening.set(key, opening);
    return opening;
  }

  /** A session that is open. */
  find(ref: SessionRef): Session | undefined {
    return this.#sessions.get(keyOf(ref));
  }

  findByName(name: string): Session | undefined {
    return [...this.#sessions.values()].find((session) => session.name === name);
  }

  all(): Session[] {
    return [...this.#sessions.values()];
  }

  list(): SessionInfo[] {
    return this.all().map((session) => ({
      name: session.name,
      isNamed: session.isNamed,
      backend: session.backendName,
      interpreters: session.liveInterpreters,
      isBusy: session.isBusy,
      runsWaiting: session.runsWaiting,
      idleMs: session.isBusy ? 0 : performance.now() - session.lastUsedAt,
      memoryBytes: session.usage()?.memoryBytes ?? null,
    }));
  }

  /** Ends a session. The files of a named one stay. */
  async end(session: Session, note?: string): Promise<void> {
    const entry = [...this.#sessions].find(([, open]) => open === session);
    if (!entry) return;
    const [key] = entry;
    this.#sessions.delete(key);
    if (note !== undefined) this.#endedNotes.set(key, note);
    await session.close();
    this.#parts.onEnd(session);
    try {
      if (session.isNamed) await this.#parts.homes.release(session.home);
      else await this.#parts.homes.remove(session.home);
    } catch (cause) {
      // The session has ended all the same; what is left of it is swept at the next start.
      this.#parts.logger.warn(`Cannot clean up after session "${session.name}"`, { cause });
    }
  }

  /** Starts to keep sandboxes warm on the wall that sessions will get. */
  async warm(): Promise<void> {
    const [first] = this.#parts.warm;
    if (first === undefined || this.#isClosed) return;
    await this.#prepareHomes();
    const { backend } = await chooseBackend(this.#parts.backends, this.#parts.wish, first);
    this.#poolOf(backend).warm();
  }

  /** Resolves when the warm places are filled. */
  async warmed(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.settled()));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#reaper);
    await Promise.allSettled(this.#opening.values());
    await Promise.all(this.all().map((session) => this.end(session)));
    await Promise.all([...this.#pools.values()].map((pool) => pool.close()));
    await Promise.all(this.#parts.backends.map((backend) => backend.close()));
  }

  async #open(ref: SessionRef, key: string, interpreter: InterpreterId): Promise<Session> {
    if (this.#isClosed) throw new AppError('SESSION_CLOSED', 'Sallyport is ending');
    await this.#prepareHomes();
    await this.#makeRoom(key);
    const { backend, passedOver } = await chooseBackend(this.#parts.backends, this.#parts.wish, interpreter);
    for (const reason of passedOver) this.#parts.logger.warn(`Using ${backend.name}; passed over ${reason}`);

    const name = ref.kind === 'named' ? ref.name : ref.key;
    const { home, warm } = await this.#place(ref, backend, interpreter);
    const session = new Session(
      {
        name,
        isNamed: ref.kind === 'named',
        backendName: backend.name,
        limits: this.#parts.limits,
        logger: this.#parts.logger,
        hatch: this.#parts.hatch,
        mask: this.#parts.mask,
        mountNames: this.#mountNames,
        showsPackages: backend.capabilities.packages ?? false,
        openSandbox: (place) => this.#openSandbox(backend, place),
      },
      home,
      warm,
      this.#endedNotes.get(key),
    );
    this.#endedNotes.delete(key);
    if (!warm) await session.loadKeptOutput();
    this.#sessions.set(key, session);
    this.#reaper ??= setInterval(
      () => void this.#reap(),
      Math.min(REAP_EVERY_MS, Math.max(50, this.#parts.limits.idleMs / 4)),
    ).unref();
    return session;
  }

  /** Once: the folder for homes, and away with what servers that were killed left in it. */
  async #prepareHomes(): Promise<void> {
    const { homes, logger } = this.#parts;
    this.#homesReady ??= homes.prepare().then(() => {
      homes.sweep().catch((cause: unknown) => logger.debug('Not all old workspaces could be removed', { cause }));
    });
    try {
      await this.#homesReady;
    } catch (error) {
      this.#homesReady = undefined; // the disk may have room the next time
      throw error;
    }
  }

  /** A home, and a warm sandbox on it where that is possible: a home that has files gets a sandbox of its own. */
  async #place(
    ref: SessionRef,
    backend: SandboxBackend,
    interpreter: InterpreterId,
  ): Promise<{ home: SessionHome; warm: WarmStart | undefined }> {
    const { homes } = this.#parts;
    if (ref.kind === 'named' && (await homes.exists(ref.name)))
      return { home: await homes.open(ref.name), warm: undefined };

    // A named session moves its home to its name; a wall that holds on to the old path starts anew there.
    const canBeWarm = ref.kind === 'own' || backend.capabilities.followsRenames;
    const place = canBeWarm ? this.#poolOf(backend).take(interpreter) : undefined;
    const own = place?.home ?? (await homes.createOwn());
    const warm = place && { sandbox: place.sandbox, interpreters: new Map([[interpreter, place.interpreter]]) };
    if (ref.kind === 'own') return { home: own, warm };
    try {
      return { home: await homes.adopt(own, ref.name), warm };
    } catch (error) {
      await place?.sandbox.kill();
      await homes.remove(own);
      throw error;
    }
  }

  #poolOf(backend: SandboxBackend): WarmPool {
    const known = this.#pools.get(backend);
    if (known) return known;
    const wanted = this.#parts.warm.filter((id) => backend.capabilities.interpreters.includes(id));
    const pool = new WarmPool(wanted, {
      openHome: () => this.#parts.homes.createOwn(),
      removeHome: (home) => this.#parts.homes.remove(home),
      openSandbox: (home) => this.#openSandbox(backend, home),
      logger: this.#parts.logger,
    });
    this.#pools.set(backend, pool);
    return pool;
  }

  #openSandbox(backend: SandboxBackend, home: SessionHome): Promise<Sandbox> {
    const { limits, mounts, env, onEgress } = this.#parts;
    const plan: SandboxPlan = {
      workspace: home.workspace,
      output: home.output,
      hatch: home.hatch,
      packages: home.packages,
      onEgress: backend.capabilities.egress ? onEgress : undefined,
      mounts,
      env,
      limits: {
        memoryBytes: limits.memoryBytes,
        tmpBytes: limits.tmpBytes,
        shmBytes: BOUNDS.shmBytes,
        workspaceBytes: limits.workspaceBytes,
        processes: limits.processes,
        openFiles: limits.openFiles,
        cpus: limits.cpus,
      },
    };
    return backend.create(plan);
  }

  /** Ends the longest-idle unnamed session when the house is full; says what to close when none can go. */
  async #makeRoom(key: string): Promise<void> {
    const { limits } = this.#parts;
    const isFull = () => this.#sessions.size + this.#openingUpTo(key) > limits.sessions;
    // Looked up only where the limits of all of them together allow it to be so.
    const canBeHeavy = () => this.#sessions.size * limits.memoryBytes > limits.totalMemoryBytes;
    const isHeavy = () =>
      canBeHeavy() && this.list().reduce((sum, info) => sum + (info.memoryBytes ?? 0), 0) > limits.totalMemoryBytes;
    const lack = () => fullness(isFull(), isHeavy()) ?? lackOfFiles(this.#openingUpTo(key));
    for (let reason = lack(); reason; reason = lack()) {
      const oldest = this.all()
        .filter((session) => !session.isNamed && !session.isBusy)
        .sort((a, b) => a.lastUsedAt - b.lastUsedAt)[0];
      if (!oldest) throw this.#fullHouse(reason);
      await this.end(oldest, 'ended to make room, variables lost');
    }
  }

  /** How many are on their way, up to this one: those that asked later must not take the place of those before them. */
  #openingUpTo(key: string): number {
    const waiting = [...this.#opening.keys()].filter((other) => !this.#sessions.has(other));
    const place = waiting.indexOf(key);
    return (place === -1 ? waiting.length : place) + 1;
  }

  #fullHouse(reason: string): AppError {
    const closable = this.all()
      .sort((a, b) => a.lastUsedAt - b.lastUsedAt)
      .slice(0, 5)
      .map((session) => session.name);
    return new AppError('BUSY', `No new session: ${reason}, and none without a name is idle`, {
      hint: `Try again in a moment, or close one that is not needed with mcp.session.close(name): ${closable.join(', ')}; or raise --max-sessions`,
    });
  }

  async #reap(): Promise<void> {
    const { idleMs } = this.#parts.limits;
    const idle = this.all().filter((session) => !session.isBusy && performance.now() - session.lastUsedAt > idleMs);
    await Promise.all(idle.map((session) => this.end(session, 'ended after being idle, variables lost')));
  }
}

function fullness(isFull: boolean, isHeavy: boolean): string | undefined {
  if (isFull) return 'all places are taken';
  return isHeavy ? 'the sessions together use all the memory they may' : undefined;
}

function keyOf(ref: SessionRef): string {
  return ref.kind === 'named' ? `named:${ref.name}` : `own:${ref.key}`;
}
