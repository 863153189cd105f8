/**
 * A session: one sandbox with a workspace, its live interpreters, and a queue of runs.
 *
 *              run                       ended
 *    idle ───────────▶ busy ───────────────────────────▶ idle
 *      │                 │ interpreter gone: the next run starts a new one in the same sandbox
 *      │ close           │ stopped, and not healthy after the grace: the sandbox dies, the next run gets a new one
 *      └───────────────▶ closed
 *
 * (1) At most one run is going on. Others wait in order.
 * (2) A stopped run is interrupted first; an interpreter that then answers its probe keeps its state, any other dies
 *     with everything in the sandbox.
 * (3) Every answer after which variables are gone says so.
 * (4) The workspace outlives sandboxes; a new sandbox of the same session has the same files.
 */
import { randomUUID } from 'node:crypto';
import { type Frame, fieldBytes, fieldText, fieldTexts } from '#bridge/codec';
import { AppError, messageOf } from '#contracts/errors';
import { BOUNDS, type Limits } from '#contracts/limits';
import type { ChangedFile, StopReason } from '#contracts/run';
import type { Logger } from '#observability/logger';
import type { InterpreterExit, InterpreterId, Sandbox, Usage } from '#sandbox/backend';
import { BackgroundOutput } from './background-output.ts';
import { endingOf, type RawEnd } from './ending.ts';
import { guardRun, type RunGuard } from './guard.ts';
import { assertFromRun, assertVisitorFromRun, readCall, replyTo } from './hatch-calls.ts';
import type { SessionHome } from './home.ts';
import { type CheckWork, Interpreter, type ParseVerdict } from './interpreter.ts';
import { KeptOutput } from './kept-output.ts';
import { LiveRun, type RunSpec } from './live-run.ts';
import { MarkerScanner } from './marker-scanner.ts';
import type { OutputMask } from './masked-stream.ts';
import { Visits } from './visits.ts';
import {
  changedFiles,
  removeWorkspaceFile,
  scanWorkspace,
  type WorkspaceSnapshot,
  writeInputFiles,
} from './workspace-files.ts';

/**
 * A request of the program to the host: JSON, or the answer to a command. Throws what the program shall see. `gone` is
 * aborted when whoever asked has ended.
 */
export type HatchHandler = (
  session: Session,
  run: LiveRun,
  method: string,
  params: unknown,
  gone: AbortSignal | undefined,
) => Promise<unknown>;

export interface SessionParts {
  readonly name: string;
  readonly isNamed: boolean;
  readonly backendName: string;
  readonly limits: Limits;
  readonly logger: Logger;
  readonly hatch: HatchHandler;
  /** Takes known secrets out of all that is shown of a run; undefined while none is known. */
  readonly mask: () => OutputMask | undefined;
  /** Folders of the workspace that are mounts of host folders; their files are not the session's. */
  readonly mountNames: ReadonlySet<string>;
  /** Whether programs can be shown installed packages. */
  readonly showsPackages: boolean;
  /** A new sandbox on this session's home. */
  readonly openSandbox: (home: SessionHome) => Promise<Sandbox>;
}

/** What a warm place brings along: a sandbox that is already up, with one interpreter in it. */
export interface WarmStart {
  readonly sandbox: Sandbox;
  readonly interpreters: ReadonlyMap<InterpreterId, Interpreter>;
}

/** The run that is going on, with what the listeners of the sandbox need to feed it. */
interface CurrentRun {
  readonly run: LiveRun;
  readonly interpreter: Interpreter;
  readonly scanners: Record<'stdout' | 'stderr', MarkerScanner>;
  readonly finish: (end: RawEnd) => void;
  readonly openStreams: Set<'stdout' | 'stderr'>;
  /** Whether something in the sandbox has variables that a restart would lose. */
  readonly hasState: boolean;
  /** Told by the kernel of command languages. */
  enterPhase: ((name: string) => void) | undefined;
  doneFrame: Frame | undefined;
}

/** Something that needs the interpreters to itself. */
interface Task {
  perform(): Promise<void>;
  refuse(error: AppError): void;
}

/** Interpreters that keep nothing from run to run: their end is no loss. */
const STATELESS: ReadonlySet<InterpreterId> = new Set(['command']);

/** How long output that is already in the pipe may take to arrive after its writer died. */
const SETTLE_MS = 5;

export class Session {
  readonly name: string;
  readonly isNamed: boolean;
  readonly backendName: string;
  /** Runs that somebody was told go on and whose end nobody has read, oldest first. */
  readonly unread: LiveRun[] = [];
  /** Of the run that was sent last. */
  lastLanguage: string | undefined;
  lastUsedAt = performance.now();

  readonly #parts: SessionParts;
  readonly #kept: KeptOutput;
  readonly #background = new BackgroundOutput();
  readonly #visits = new Visits((frame, gone) => this.#takeVisitorCall(frame, gone));
  readonly #recent: LiveRun[] = [];
  readonly #queue: Task[] = [];
  #home: SessionHome;
  #sandbox: Sandbox | undefined;
  #interpreters = new Map<InterpreterId, Interpreter>();
  #snapshot: WorkspaceSnapshot | undefined;
  #current: CurrentRun | undefined;
  #working: Promise<void> | undefined;
  #runCount = 0;
  #requestsOpen = 0;
  /** Whether a program has run in the present sandbox. */
  #isSandboxUsed = false;
  /** Of the present sandbox, as last seen. */
  #oomKills = 0;
  #isClosed = false;
  #isResetWanted = false;
  /** Told with the next run: what happened to the interpreters since the last one. */
  #pendingNote: string | undefined;

  constructor(parts: SessionParts, home: SessionHome, warm: WarmStart | undefined, note: string | undefined) {
    this.#parts = parts;
    this.name = parts.name;
    this.isNamed = parts.isNamed;
    this.backendName = parts.backendName;
    this.#home = home;
    this.#kept = new KeptOutput(() => this.#home.output, parts.logger);
    this.#snapshot = scanWorkspace(home.workspace, parts.mountNames);
    this.#pendingNote = note;
    if (warm) this.#adopt(warm.sandbox, warm.interpreters);
  }

  get home(): SessionHome {
    return this.#home;
  }

  get isBusy(): boolean {
    return this.#working !== undefined;
  }

  get runsWaiting(): number {
    return this.#queue.length;
  }

  get liveInterpreters(): InterpreterId[] {
    return [...this.#interpreters].filter(([, interpreter]) => !interpreter.isGone).map(([id]) => id);
  }

  usage(): Usage | undefined {
    return this.#sandbox?.usage();
  }

  /** Takes up output that an earlier process kept in this home. */
  async loadKeptOutput(): Promise<void> {
    await this.#kept.load();
  }

  /** A run of this session that is still in memory. */
  findRun(runId: string): LiveRun | undefined {
    return this.#recent.find((run) => run.spec.runId === runId);
  }

  /** Queues a run. It starts at once when nothing is before it. */
  submit(spec: RunSpec): LiveRun {
    const run = new LiveRun(spec, {
      session: this.name,
      backend: this.backendName,
      limits: this.#parts.limits,
      kept: this.#kept,
      mask: this.#parts.mask,
    });
    this.#enqueue({ perform: () => this.#execute(run), refuse: (error) => run.refuse(error) });
    this.#recent.push(run);
    this.lastLanguage = spec.language;
    if (this.#recent.length > BOUNDS.keptRunsPerSession) this.#recent.shift();
    return run;
  }

  /** Parses without running, in turn with the runs. */
  check(work: CheckWork): Promise<ParseVerdict> {
    return this.#inTurn(() => this.#checkNow(work));
  }

  /** Asks the kernel of command languages which tools there are; the answer is whatever came from behind the wall. */
  probe(plan: unknown, waitMs: number): Promise<unknown> {
    return this.#inTurn(async () => (await this.#interpreterFor('command')).probe(plan, waitMs));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#enqueue({
      perform: async () => {
        try {
          resolve(await work());
        } catch (error) {
          reject(error);
        }
      },
      refuse: reject,
    });
    return promise;
  }

  /** New interpreters before the next run; files stay. Inside a run it takes effect when that run has ended. */
  async reset(): Promise<void> {
    this.#isResetWanted = true;
    if (!this.#working) await this.#resetNow();
  }

  /** Stops everything inside. Waiting runs are refused, the running one is stopped. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const task of this.#queue.splice(0)) {
      task.refuse(new AppError('SESSION_CLOSED', `Session "${this.name}" was closed before this run began`));
    }
    this.#current?.run.stop('cancelled');
    await this.#sandbox?.kill();
    await this.#working;
    this.#sandbox = undefined;
  }

  #enqueue(task: Task): void {
    if (this.#isClosed)
      throw new AppError('SESSION_CLOSED', `Session "${this.name}" is closed`, { hint: 'Send the code again' });
    if (this.#queue.length >= BOUNDS.queueMax) {
      throw new AppError('BUSY', `Session "${this.name}" has ${this.#queue.length} runs waiting`, {
        hint: 'Wait for them, or use another session',
      });
    }
    this.#queue.push(task);
    this.#working ??= this.#work();
  }

  async #work(): Promise<void> {
    // The caller gets its LiveRun before the first step, so that early events find their listener.
    await Promise.resolve();
    for (let task = this.#queue.shift(); task; task = this.#queue.shift()) {
      await task.perform();
      this.lastUsedAt = performance.now();
      if (this.#isResetWanted) await this.#resetNow();
    }
    this.#working = undefined;
  }

  async #checkNow(work: CheckWork): Promise<ParseVerdict> {
    const interpreter = await this.#interpreterFor(work.interpreter);
    const waitMs = work.plan === undefined ? BOUNDS.checkMs : this.#parts.limits.compileTimeoutMs;
    const verdict = await interpreter.check(work, waitMs);
    if (verdict) return verdict;
    await this.#sandbox?.kill();
    throw new AppError('INVALID_INPUT', `The code could not be parsed within ${waitMs / 1000} s`, {
      hint: 'Name its language in "language"',
    });
  }

  async #execute(run: LiveRun): Promise<void> {
    try {
      if (run.stopBeforeStart) throw new AppError('SESSION_CLOSED', 'The run was cancelled before it began');
      await this.#prepare(run);
      const interpreter = await this.#interpreterFor(run.spec.interpreter);
      if (run.spec.files.length > 0) {
        await writeInputFiles(this.#home.workspace, run.spec.files);
        this.#snapshot = scanWorkspace(this.#home.workspace, this.#parts.mountNames);
      }
      await this.#drive(run, interpreter);
    } catch (error) {
      run.refuse(
        error instanceof AppError
          ? error
          : new AppError('INTERNAL', `The run failed inside Sallyport: ${messageOf(error)}`, { cause: error }),
      );
      this.#parts.logger.warn('A run was refused', { runId: run.spec.runId, cause: error });
    }
    await this.#kept.seal(run.spec.runId);
  }

  async #prepare(run: LiveRun): Promise<void> {
    if (!run.spec.prepare) return;
    const stopped = new AbortController();
    run.onStopBeforeStart = () => stopped.abort();
    const { workspace, packages, packageList } = this.#home;
    const shelf = this.#parts.showsPackages ? { shown: packages, list: packageList } : undefined;
    await run.spec.prepare({ workspace, packages: shelf, sessionKey: this, signal: stopped.signal }, run);
    if (run.stopBeforeStart) throw new AppError('SESSION_CLOSED', 'The run was cancelled before it began');
  }

  /** Sends the program and waits until it has ended or has been stopped. */
  async #drive(run: LiveRun, interpreter: Interpreter): Promise<void> {
    const sandbox = this.#sandbox as Sandbox;
    this.#isSandboxUsed = true;
    const { promise: ended, resolve: finish } = Promise.withResolvers<RawEnd>();
    const nonce = `\u0002${randomUUID()}`;
    const current = this.#enter(run, interpreter, nonce, finish);
    this.#tellPending(run);

    const { spec } = run;
    interpreter.send('run', [
      ['id', spec.runId],
      ['nonce', nonce],
      ['language', spec.language],
      ['name', `<run ${++this.#runCount}>`],
      ['timeout', String(spec.timeoutMs)],
      ['code', spec.code],
      ...spec.args.map((arg) => ['arg', arg] as const),
      ...(spec.stdin === undefined ? [] : [['stdin', spec.stdin] as const]),
      ...(spec.plan === undefined ? [] : [['plan', JSON.stringify(spec.plan)] as const]),
    ]);

    // While the interpreter is already at work: what is left to do for the guard costs the run no time.
    sandbox.resetPeak();
    let stop: StopReason | null = null;
    let stopped: Promise<void> | undefined;
    const requestStop = (reason: StopReason) => {
      if (stop !== null || current !== this.#current) return;
      stop = reason;
      stopped = this.#stopRun(current, ended, reason);
    };
    run.start(requestStop);
    using guard = guardRun({ run, sandbox, limits: this.#parts.limits, workspace: this.#home.workspace }, requestStop);
    if (run.stopBeforeStart) requestStop(run.stopBeforeStart);
    current.enterPhase = (name) => this.#enterPhase(run, guard, name);

    const end = await ended;
    if (end.kind === 'interpreter-gone') await settle(current);
    await stopped;
    this.#leave(current, end, stop);
    if (end.kind !== 'done' && run.spec.plan) await this.#removeEntry(run.spec.plan.entry.file, run.spec.code);

    const usage = sandbox.usage();
    const wasOutOfMemory = this.#wasOutOfMemory(usage, guard.hasLooked || end.kind !== 'done');
    run.end(endingOf({ end, stop, usage, wasOutOfMemory, limits: this.#parts.limits, files: this.#changedFiles() }));
  }

  /** Compiling and running are on clocks of their own. A program that forges a phase gets no more time than both. */
  #enterPhase(run: LiveRun, guard: RunGuard, name: string): void {
    const { compileTimeoutMs } = this.#parts.limits;
    const limitMs = run.enterPhase(name, { compile: compileTimeoutMs, run: run.spec.timeoutMs });
    if (limitMs !== undefined) guard.restartClock(limitMs);
  }

  /** The kernel takes the program's file away itself, unless it was killed. */
  async #removeEntry(file: string, code: string): Promise<void> {
    await removeWorkspaceFile(this.#home.workspace, file, Buffer.from(code)).catch((cause: unknown) => {
      this.#parts.logger.debug('Cannot remove the file of a killed program', { cause });
    });
  }

  /** Looked up only where it can be: using up all memory takes longer than the guard waits for its first look. */
  #wasOutOfMemory(usage: Usage, canBe: boolean): boolean {
    if (!canBe) return false;
    const before = this.#oomKills;
    this.#oomKills = usage.oomKills;
    return this.#oomKills > before;
  }

  #enter(run: LiveRun, interpreter: Interpreter, nonce: string, finish: (end: RawEnd) => void): CurrentRun {
    const openStreams = new Set(['stdout', 'stderr'] as const);
    const scanner = (stream: 'stdout' | 'stderr') =>
      new MarkerScanner(nonce, {
        data: (bytes) => run.write(stream, bytes),
        value: () => run.beginValue(),
        end: (rest) => {
          openStreams.delete(stream);
          this.#background.push(stream, rest);
          this.#finishIfComplete(current);
        },
      });
    const scanners = { stdout: scanner('stdout'), stderr: scanner('stderr') };
    const current: CurrentRun = {
      run,
      interpreter,
      scanners,
      finish,
      openStreams,
      hasState: this.liveInterpreters.some((id) => !STATELESS.has(id)),
      enterPhase: undefined,
      doneFrame: undefined,
    };
    this.#current = current;
    return current;
  }

  /** The run's output is whole when both streams and the interpreter's word have ended. */
  #finishIfComplete(current: CurrentRun): void {
    if (current.doneFrame && current.openStreams.size === 0) current.finish({ kind: 'done', frame: current.doneFrame });
  }

  #leave(current: CurrentRun, end: RawEnd, stop: StopReason | null): void {
    const { run, scanners, openStreams } = current;
    this.#current = undefined;
    for (const stream of openStreams) scanners[stream].flush();
    if (end.kind === 'done') run.notes.push(...fieldTexts(end.frame, 'note').slice(0, 10));
    if (end.kind === 'interpreter-gone' && end.reason !== undefined) run.notes.push(`given up: ${end.reason}`);
    const isLost = !this.#sandbox || (current.interpreter.isGone && !STATELESS.has(run.spec.interpreter));
    this.#pendingNote = undefined;
    if (!isLost || !current.hasState) return;
    run.notes.push(RESTARTED);
    // Nobody reads the answer of a run that its caller has given up: the next one says it.
    if (stop === 'cancelled' && !this.unread.includes(run)) this.#pendingNote = RESTARTED;
  }

  #tellPending(run: LiveRun): void {
    if (this.#pendingNote !== undefined) run.notes.push(this.#pendingNote);
    this.#pendingNote = undefined;
    const background = this.#background.take();
    if (background !== undefined) run.hints.push(background);
  }

  #changedFiles(): ChangedFile[] {
    const now = scanWorkspace(this.#home.workspace, this.#parts.mountNames, this.#snapshot);
    const changed = this.#snapshot && now && now !== this.#snapshot ? changedFiles(this.#snapshot, now) : [];
    this.#snapshot = now;
    return changed;
  }

  /** Interrupts, and kills what does not give way. */
  async #stopRun(current: CurrentRun, ended: Promise<RawEnd>, reason: StopReason): Promise<void> {
    const startedAt = performance.now();
    current.interpreter.interrupt();
    const graceMs = reason === 'cancelled' ? BOUNDS.cancelGraceMs : BOUNDS.graceMs;
    let end = await Promise.race([ended, delay(graceMs / 2)]);
    if (end === undefined) {
      // Once more: a process that was between fork and exec did not get the first one.
      current.interpreter.interrupt();
      end = await Promise.race([ended, delay(graceMs / 2)]);
    }
    // What the end has left of its time, the proof may take: on a busy machine both are slow at times.
    const leftMs = graceMs + BOUNDS.probeMs - (performance.now() - startedAt);
    if (end?.kind === 'done' && (await current.interpreter.isHealthy(leftMs))) return;
    await this.#sandbox?.kill();
    current.finish({ kind: 'sandbox-gone' });
  }

  /** A live interpreter, started when there is none. */
  async #interpreterFor(id: InterpreterId): Promise<Interpreter> {
    const known = this.#interpreters.get(id);
    if (known && !known.isGone) return known;
    try {
      return await this.#startInterpreter(id);
    } catch (error) {
      // What earlier programs left behind may keep it from starting: all processes taken, all channels used up by
      // crashes. A new sandbox has none of that; one that fails too is a failure.
      if (!this.#isSandboxUsed) throw error;
      this.#pendingNote = RESTARTED;
      await this.#sandbox?.kill();
      return this.#startInterpreter(id);
    }
  }

  async #startInterpreter(id: InterpreterId): Promise<Interpreter> {
    if (!this.#sandbox) this.#adopt(await this.#parts.openSandbox(this.#home), new Map());
    const interpreter = new Interpreter(await (this.#sandbox as Sandbox).start(id));
    this.#register(id, interpreter);
    return interpreter;
  }

  #adopt(sandbox: Sandbox, interpreters: ReadonlyMap<InterpreterId, Interpreter>): void {
    this.#sandbox = sandbox;
    this.#isSandboxUsed = false;
    this.#oomKills = 0;
    this.#interpreters = new Map();
    sandbox.onOutput((stream, bytes) => this.#takeOutput(stream, bytes));
    sandbox.onVisit((visitor) => this.#visits.take(visitor));
    sandbox.onEnd(() => this.#sandboxEnded(sandbox));
    for (const [id, interpreter] of interpreters) this.#register(id, interpreter);
  }

  #register(id: InterpreterId, interpreter: Interpreter): void {
    this.#interpreters.set(id, interpreter);
    interpreter.listen({
      frame: (frame) => this.#takeFrame(interpreter, frame),
      gone: (exit, reason) => this.#interpreterGone(id, interpreter, exit, reason),
    });
  }

  #takeOutput(stream: 'stdout' | 'stderr', bytes: Buffer): void {
    const current = this.#current;
    if (current?.openStreams.has(stream)) current.scanners[stream].push(bytes);
    else this.#background.push(stream, bytes);
  }

  #takeFrame(interpreter: Interpreter, frame: Frame): void {
    const current = this.#current;
    if (frame.verb === 'call') return void this.#takeCall(interpreter, frame);
    if (!current || current.interpreter !== interpreter || fieldText(frame, 'id') !== current.run.spec.runId) return;
    if (frame.verb === 'done') {
      current.doneFrame = frame;
      this.#finishIfComplete(current);
    } else if (frame.verb === 'phase') {
      current.enterPhase?.(fieldText(frame, 'name') ?? '');
    } else if (frame.verb === 'image') {
      takeImage(current.run, frame);
    }
  }

  /** A request of the program in its own interpreter. */
  async #takeCall(interpreter: Interpreter, frame: Frame): Promise<void> {
    const work = async () => {
      assertFromRun(frame, this.#current?.run.spec.runId);
      return await this.#ask(frame, undefined);
    };
    interpreter.send('reply', await replyTo(frame, work, () => interpreter.unreadBytes));
  }

  /** A request of a process that the program started. */
  async #takeVisitorCall(frame: Frame, gone: AbortSignal): Promise<unknown> {
    assertVisitorFromRun(frame, this.#current?.run.spec.runId);
    return await this.#ask(frame, gone);
  }

  async #ask(frame: Frame, gone: AbortSignal | undefined): Promise<unknown> {
    const { run } = this.#current as CurrentRun;
    if (this.#requestsOpen >= BOUNDS.requestsOpenMax)
      throw new AppError('BUSY', `This session has ${this.#requestsOpen} requests on their way`, {
        hint: 'Wait for some of them before making more',
      });
    this.#requestsOpen += 1;
    try {
      const { method, params } = readCall(frame);
      return await this.#parts.hatch(this, run, method, params, gone);
    } finally {
      this.#requestsOpen -= 1;
    }
  }

  #interpreterGone(
    id: InterpreterId,
    interpreter: Interpreter,
    exit: InterpreterExit,
    reason: string | undefined,
  ): void {
    if (this.#current?.interpreter === interpreter) this.#current.finish({ kind: 'interpreter-gone', exit, reason });
    else if (!STATELESS.has(id)) this.#pendingNote = RESTARTED;
  }

  #sandboxEnded(sandbox: Sandbox): void {
    if (this.#sandbox !== sandbox) return;
    if (!this.#current && [...this.#interpreters.keys()].some((id) => !STATELESS.has(id)))
      this.#pendingNote = RESTARTED;
    this.#sandbox = undefined;
    this.#interpreters = new Map();
    this.#current?.finish({ kind: 'sandbox-gone' });
  }

  async #resetNow(): Promise<void> {
    this.#isResetWanted = false;
    await this.#sandbox?.kill();
    this.#pendingNote = this.#isClosed ? undefined : 'reset, variables cleared';
  }
}

const RESTARTED = 'restarted, variables lost';

/** Output that was in the pipe when its writer died is read within a few turns of the event loop. */
async function settle(current: CurrentRun): Promise<void> {
  const { run } = current;
  for (let seen = -1; seen !== run.stdout.totalBytes + run.stderr.totalBytes; ) {
    seen = run.stdout.totalBytes + run.stderr.totalBytes;
    await delay(SETTLE_MS);
  }
}

function takeImage(run: LiveRun, frame: Frame): void {
  const data = fieldBytes(frame, 'data');
  const mimeType = fieldText(frame, 'mime') ?? '';
  const total = run.images.reduce((sum, image) => sum + image.data.length, 0);
  // The interpreter has scaled already; a program that writes frames itself gets no more than that.
  if (!data || !/^image\/[a-z+.-]{1,20}$/.test(mimeType)) return;
  if (run.images.length >= BOUNDS.imagesMax || total + data.length > BOUNDS.imageBytesMax) return;
  run.images.push({ mimeType, data: Buffer.from(data) });
}

function delay(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, ms, undefined));
}
