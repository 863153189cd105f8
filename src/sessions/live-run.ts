/**
 * One run, from the moment it is asked for until its last byte has been read by somebody.
 *
 *   waiting ──▶ running ──▶ ended
 *
 * It may be looked at any number of times; each look shows what came since the last one, so an early answer and the
 * pick-ups that follow it together show everything exactly once.
 */
import type { AppError } from '#contracts/errors';
import { BOUNDS, type Limits } from '#contracts/limits';
import type { Person } from '#contracts/person';
import type { ChangedFile, InputFile, RunImage, RunOutcome, StopReason } from '#contracts/run';
import type { InterpreterId } from '#sandbox/backend';
import { OutputCapture } from './capture.ts';
import type { KeptOutput } from './kept-output.ts';
import { MaskedStream, type OutputMask } from './masked-stream.ts';
import { RunClock } from './run-clock.ts';

/** What the session itself needs to know of a plan; the rest is for the kernel. */
export interface CommandWork {
  readonly entry: { readonly file: string };
}

/** A run as the session takes it: everything is decided, nothing is optional by accident. */
export interface RunSpec {
  readonly runId: string;
  readonly language: string;
  readonly interpreter: InterpreterId;
  /** For `command`: what there is to do, as data (`languages/command-plan.ts`). */
  readonly plan?: CommandWork;
  readonly code: string;
  readonly args: readonly string[];
  readonly stdin: string | undefined;
  readonly files: readonly InputFile[];
  readonly timeoutMs: number;
  /** Who sent it. */
  readonly caller: string;
  /** What has to be done in its turn before it begins; the run's clock does not count it. */
  readonly prepare?: (place: RunPlace, run: LiveRun) => Promise<void>;
}

/** Where a run will begin. Host paths. */
export interface RunPlace {
  readonly workspace: string;
  /** Undefined where the wall cannot show packages. */
  readonly packages: { readonly shown: string; readonly list: string } | undefined;
  /** What lives as long as the session. */
  readonly sessionKey: object;
  /** Somebody asked to stop the run before it began. */
  readonly signal: AbortSignal;
}

/** Codes of `contracts/errors.ts`. `diagnostics` is what a compiler said. */
export interface RunError {
  readonly code: string;
  readonly message: string;
  readonly diagnostics?: string;
}

/** How a run ended, as the session found out. */
export interface RunEnding {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stop: StopReason | null;
  readonly error: RunError | undefined;
  readonly peakMemoryBytes: number | null;
  readonly files: readonly ChangedFile[];
}

const NEWLINE = 0x0a;

export type OutputListener = (stream: 'stdout' | 'stderr', bytes: Buffer) => void;

export class LiveRun {
  readonly spec: RunSpec;
  readonly stdout: OutputCapture;
  readonly stderr: OutputCapture;
  readonly images: RunImage[] = [];
  readonly notes: string[] = [];
  readonly hints: string[] = [];
  /** Resolves when the run has ended, however it ended. */
  readonly ended: Promise<void>;
  readonly clock = new RunClock();
  toolCalls = 0;
  /** Live output for progress and terminals. */
  onOutput: OutputListener | undefined;
  /** Told while the run is being prepared. */
  onStopBeforeStart: (() => void) | undefined;
  /** Whoever follows the run; undefined when nobody there can be asked anything. */
  person: Person | undefined;

  readonly #mask: () => OutputMask | undefined;
  readonly #masked: Readonly<Record<'stdout' | 'stderr', MaskedStream>>;
  readonly #phases = new Set<string>();
  #timeoutMs: number;
  readonly #session: string;
  readonly #backend: string;
  readonly #resolveEnded: () => void;
  readonly #shown = { stdout: 0, stderr: 0, images: 0, notes: 0, hints: 0 };
  #requestStop: ((reason: StopReason) => void) | undefined;
  #stopBeforeStart: StopReason | undefined;
  #startedAt: number | undefined;
  #endsLine = true;
  #durationMs = 0;
  #ending: RunEnding | undefined;
  #refusal: AppError | undefined;

  constructor(
    spec: RunSpec,
    place: {
      session: string;
      backend: string;
      limits: Limits;
      kept: KeptOutput;
      mask: () => OutputMask | undefined;
    },
  ) {
    this.spec = spec;
    this.#mask = place.mask;
    this.#masked = { stdout: new MaskedStream(place.mask), stderr: new MaskedStream(place.mask) };
    this.#timeoutMs = spec.timeoutMs;
    this.#session = place.session;
    this.#backend = place.backend;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#resolveEnded = resolve;
    const capture = (stream: 'stdout' | 'stderr') =>
      new OutputCapture({ shownBytes: place.limits.outputBytesShown, spill: place.kept.writer(spec.runId, stream) });
    this.stdout = capture('stdout');
    this.stderr = capture('stderr');
  }

  /** The name of its session. */
  get session(): string {
    return this.#session;
  }

  get hasEnded(): boolean {
    return this.#ending !== undefined || this.#refusal !== undefined;
  }

  /** Our own failure to run it at all; the door turns it into an error. */
  get refusal(): AppError | undefined {
    return this.#refusal;
  }

  /** Whether somebody asked to stop it before it began. */
  get stopBeforeStart(): StopReason | undefined {
    return this.#stopBeforeStart;
  }

  /** Asks the run to stop. Has no effect on one that has ended or is already being stopped. */
  stop(reason: StopReason): void {
    if (this.#requestStop) this.#requestStop(reason);
    else {
      this.#stopBeforeStart ??= reason;
      this.onStopBeforeStart?.();
    }
  }

  /** The session begins to run it. */
  start(requestStop: (reason: StopReason) => void): void {
    this.#startedAt = performance.now();
    this.#requestStop = requestStop;
  }

  /** The clock of a phase that begins now; undefined for one that is unknown or has been. */
  enterPhase(name: string, clocks: Readonly<Record<'compile' | 'run', number>>): number | undefined {
    if ((name !== 'compile' && name !== 'run') || this.#phases.has(name)) return undefined;
    this.#phases.add(name);
    this.#timeoutMs = clocks[name];
    return clocks[name];
  }

  /** Whether it has begun to compile and not yet to run. */
  get isCompiling(): boolean {
    return this.#phases.has('compile') && !this.#phases.has('run');
  }

  write(stream: 'stdout' | 'stderr', bytes: Buffer): void {
    this.#show(stream, this.#masked[stream].push(bytes));
  }

  /** What follows on stdout is the value of the last expression; live listeners see it on a line of its own. */
  beginValue(): void {
    this.#show('stdout', this.#masked.stdout.flush());
    this.stdout.markValue();
    if (!this.#endsLine) this.onOutput?.('stdout', Buffer.of(NEWLINE));
  }

  end(ending: RunEnding): void {
    for (const stream of ['stdout', 'stderr'] as const) this.#show(stream, this.#masked[stream].flush());
    if (ending.stop !== null && this.isCompiling) this.hints.push('it was stopped while compiling; nothing of it ran');
    this.#durationMs = this.#elapsedMs();
    this.#ending = ending;
    this.#requestStop = () => {};
    this.#resolveEnded();
  }

  refuse(error: AppError): void {
    this.#refusal = error;
    this.#resolveEnded();
  }

  /** How it ended and how long it took; nothing counts as shown by this. */
  summary(): Pick<RunOutcome, 'exitCode' | 'stop' | 'durationMs'> {
    const durationMs = Math.round((this.#ending ? this.#durationMs : this.#elapsedMs()) * 10) / 10;
    return { exitCode: this.#ending?.exitCode ?? null, stop: this.#ending?.stop ?? null, durationMs };
  }

  /** What became of the run so far, without what earlier looks have shown. */
  look(): RunOutcome {
    const shown = { ...this.#shown };
    this.#shown.stdout = this.stdout.totalBytes;
    this.#shown.stderr = this.stderr.totalBytes;
    this.#shown.images = this.images.length;
    this.#shown.notes = this.notes.length;
    this.#shown.hints = this.hints.length;
    const ending = this.#ending;
    const files = ending?.files ?? [];
    return {
      kind: ending ? 'finished' : 'running',
      runId: this.spec.runId,
      session: this.#session,
      backend: this.#backend,
      language: this.spec.language,
      ...this.summary(),
      signal: ending?.signal ?? null,
      error: ending?.error === undefined ? null : { ...ending.error, message: this.#clean(ending.error.message) },
      timeoutMs: this.#timeoutMs,
      peakMemoryBytes: ending?.peakMemoryBytes ?? null,
      toolCalls: this.toolCalls,
      tokensSaved: 0,
      stdout: this.stdout.snapshotSince(shown.stdout),
      stderr: this.stderr.snapshotSince(shown.stderr),
      images: this.images.slice(shown.images),
      files: files.slice(0, BOUNDS.filesNamedMax).map(({ path, bytes }) => ({ path: this.#clean(path), bytes })),
      filesMore: Math.max(0, files.length - BOUNDS.filesNamedMax),
      sessionNotes: this.notes.slice(shown.notes).map((note) => this.#clean(note)),
      hints: this.hints.slice(shown.hints).map((hint) => this.#clean(hint)),
    };
  }

  #show(stream: 'stdout' | 'stderr', bytes: Buffer): void {
    if (bytes.length === 0) return;
    this[stream].push(bytes);
    this.onOutput?.(stream, bytes);
    if (stream === 'stdout') this.#endsLine = bytes.at(-1) === NEWLINE;
  }

  #clean(text: string): string {
    return this.#mask()?.text(text) ?? text;
  }

  #elapsedMs(): number {
    return this.#startedAt === undefined ? 0 : performance.now() - this.#startedAt;
  }
}
