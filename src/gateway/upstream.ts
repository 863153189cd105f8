/**
 * One upstream server and its life.
 *
 *             use               handshake done
 *    idle ───────────▶ starting ───────────────▶ ready
 *     ▲                   │                        │  │ crash, broken link
 *     │                   │ no handshake in time   │  ▼
 *     │                   └────────────────────────┼▶ failed ──▶ starting, at the next use
 *     └────────────────────────────────────────────┘
 *                 unused for a while
 *
 * (1) Those who come while it starts share that one start; what became of it is told to all of them.
 * (2) A crash fails the calls that were going on, no others. The next use starts the server again, later and later
 *     when it keeps failing.
 * (3) Nobody waits here for another upstream.
 * (4) Once closed, it stays so.
 */
import { performance } from 'node:perf_hooks';
import { AppError } from '#contracts/errors';
import { BOUNDS, type UpstreamLimits } from '#contracts/limits';
import type { Logger } from '#observability/logger';
import type { AskPlace } from './asks.ts';
import { BackOff } from './back-off.ts';
import { CallClock } from './call-clock.ts';
import { callerOfAnswer } from './caller-of-answer.ts';
import type { ConnectParts } from './connect.ts';
import { BrokenLink, type Connection, StartTimeout } from './connection.ts';
import type { DiscoveredServer } from './discovery/discovery.ts';
import { Places } from './places.ts';
import { Tail } from './transports/tail.ts';
import { untilAborted } from './until-aborted.ts';
import { busyError, closedError, goneError, inSeconds, timeoutError, tooSoonError } from './upstream-errors.ts';

export type UpstreamState = 'idle' | 'starting' | 'ready' | 'failed';

export interface UpstreamParts extends ConnectParts {
  readonly limits: UpstreamLimits;
  readonly logger: Logger;
  /** After each handshake; the upstream is then in use by nobody in particular. */
  readonly onReady: (upstream: Upstream) => void;
  readonly onToolsChanged: (upstream: Upstream) => void;
  /** It could not be started, went away, or was stopped; `error` says which of these was no wish of ours. */
  readonly onEnd: (upstream: Upstream, error: AppError | undefined) => void;
}

export interface UseOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  /** Whoever answers what the upstream asks in between knows the call by this. */
  readonly caller?: unknown;
  /** Something that the upstream asked for during the call could not be asked. */
  readonly onRefused?: ((error: AppError) => void) | undefined;
  /** Looking after the upstream, which is no reason to keep it. */
  readonly isUpkeep?: boolean;
}

type Work<Result> = (connection: Connection, signal: AbortSignal) => Promise<Result>;

interface Call {
  readonly clock: CallClock;
  readonly caller: unknown;
  readonly onRefused: ((error: AppError) => void) | undefined;
}

/** The longest time that a timer can measure. */
const TIMER_MS_MAX = 2 ** 31 - 1;

const ENDED = new BrokenLink('the connection ended');

export class Upstream {
  readonly server: DiscoveredServer;
  readonly stderr = new Tail(BOUNDS.upstreamStderrBytes);
  readonly #parts: UpstreamParts;
  readonly #places: Places;
  readonly #backOff = new BackOff();
  readonly #calls = new Set<Call>();
  #opening: Promise<Connection> | undefined;
  #connection: Connection | undefined;
  #abandon: AbortController | undefined;
  #lastError: AppError | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #asksOpen = 0;
  #hasBeenUsed = false;
  #isRetired = false;
  #isClosed = false;
  readonly #closing = new Set<Promise<void>>();
  /** After the last work of a retired upstream. */
  readonly #workDone = Promise.withResolvers<void>();

  constructor(server: DiscoveredServer, parts: UpstreamParts) {
    this.server = server;
    this.#parts = parts;
    this.#places = new Places(server.entry.callsAtOnce ?? parts.limits.callsAtOnce, BOUNDS.upstreamQueueMax);
  }

  get state(): UpstreamState {
    if (this.#connection) return 'ready';
    if (this.#opening !== undefined) return 'starting';
    return this.#lastError ? 'failed' : 'idle';
  }

  get lastError(): AppError | undefined {
    return this.#lastError;
  }

  get pid(): number | undefined {
    return this.#connection?.pid;
  }

  /** Does one piece of work on the connection, which is made when there is none. `what` names the work in errors. */
  async use<Result>(what: string, options: UseOptions, work: Work<Result>): Promise<Result> {
    const timeMs = options.timeoutMs ?? this.server.entry.timeoutMs ?? this.#parts.limits.callMs;
    using clock = new CallClock(Math.min(timeMs, TIMER_MS_MAX), options.signal);
    try {
      await this.#takePlace(clock.signal);
      const { caller, onRefused } = options;
      return await this.#inPlace({ clock, caller, onRefused }, options.isUpkeep === true, what, work);
    } catch (error) {
      // Asked in this order: a caller that left does not care that time ran out, nor why the link then broke.
      if (clock.isCancelled) throw clock.signal.reason;
      if (clock.isLate) throw timeoutError(this.server.name, what, timeMs, error);
      throw error;
    }
  }

  /** Ends the connection if all that it was good for so far was upkeep. */
  async stopIfUnused(): Promise<void> {
    if (!this.#hasBeenUsed && this.#places.isEmpty) await this.#disconnect();
  }

  /** Takes no new work, ends when the work that it has is done. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    if (this.#places.isEmpty) return await this.close();
    await this.#workDone.promise;
  }

  async close(): Promise<void> {
    this.#isRetired = true;
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    this.#abandon?.abort(closedError(this.server.name));
    await this.#disconnect();
    await this.#opening?.catch(() => {}); // it was told to end; how it does is of no interest
    await Promise.all(this.#closing);
  }

  async #takePlace(signal: AbortSignal): Promise<void> {
    if (this.#isRetired) throw closedError(this.server.name);
    if (this.#places.tryTake()) return;
    if (this.#places.isFull) throw busyError(this.server.name);
    await this.#places.take(signal);
  }

  async #inPlace<Result>(call: Call, isUpkeep: boolean, what: string, work: Work<Result>): Promise<Result> {
    clearTimeout(this.#idleTimer);
    this.#calls.add(call);
    if (!isUpkeep) this.#hasBeenUsed = true;
    if (this.#asksOpen > 0) call.clock.pause();
    try {
      const result = await callerOfAnswer.run(call.caller, () => this.#work(what, work, call.clock));
      // A server that crashes with every call may still list its tools.
      if (!isUpkeep) this.#backOff.worked();
      return result;
    } finally {
      this.#places.giveBack();
      this.#calls.delete(call);
      if (this.#places.isEmpty) this.#afterWork();
    }
  }

  #afterWork(): void {
    if (!this.#isRetired) return this.#waitForIdle();
    void this.close().finally(() => this.#workDone.resolve());
  }

  async #work<Result>(what: string, work: Work<Result>, clock: CallClock, isRetry = false): Promise<Result> {
    const connection = this.#connection ?? (await untilAborted(this.#connect(), clock.signal));
    try {
      return await work(connection, clock.signal);
    } catch (error) {
      if (clock.signal.aborted || !(error instanceof BrokenLink)) throw error;
      this.#drop(connection, error);
      if (error.isSessionLost && !isRetry) return await this.#work(what, work, clock, true);
      throw this.#isRetired ? closedError(this.server.name) : this.#goneError(what, connection, error);
    }
  }

  #connect(): Promise<Connection> {
    if (this.#connection) return Promise.resolve(this.#connection);
    if (this.#opening !== undefined) return this.#opening;
    const waitMs = this.#backOff.waitMs(performance.now());
    if (waitMs > 0) return Promise.reject(tooSoonError(this.server.name, waitMs, this.#lastError));
    const opening = this.#open().finally(() => {
      this.#opening = undefined;
      this.#abandon = undefined;
    });
    this.#opening = opening;
    return opening;
  }

  async #open(): Promise<Connection> {
    const { entry, fingerprint } = this.server;
    const startMs = entry.startTimeoutMs ?? this.#parts.limits.startMs;
    const abandon = new AbortController();
    this.#abandon = abandon;
    const timer = setTimeout(
      () => abandon.abort(new StartTimeout(`did not answer within ${inSeconds(startMs)} of its start`)),
      startMs,
    );
    let connection: Connection | undefined;
    try {
      const { connectUpstream } = await import('./connect.ts');
      connection = await connectUpstream(
        {
          entry,
          fingerprint,
          startMs,
          signal: abandon.signal,
          stderr: this.stderr,
          place: this.#askPlace(),
          onToolsChanged: () => this.#parts.onToolsChanged(this),
          onGone: () => void (connection && this.#drop(connection, ENDED)),
        },
        this.#parts,
      );
      if (connection.isGone) throw this.#goneError('its start', connection, ENDED);
      if (this.#isClosed) throw await this.#closeTooLate(connection);
      this.#connection = connection;
      this.#lastError = undefined;
      this.#parts.onReady(this);
      this.#waitForIdle();
      return connection;
    } catch (error) {
      if (error instanceof AppError) this.#lastError = error;
      if (!this.#isClosed) this.#parts.onEnd(this, this.#lastError);
      // A login changes everything, and asking for it costs the server nothing.
      if (this.#lastError?.code !== 'AUTH_REQUIRED') this.#backOff.failed(performance.now());
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** The handshake was done before the word to stop came through. */
  async #closeTooLate(connection: Connection): Promise<AppError> {
    await this.#closeQuietly(connection);
    return closedError(this.server.name);
  }

  /** The connection is of no more use: it broke, or the process behind it has ended. */
  #drop(connection: Connection, link: BrokenLink): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    clearTimeout(this.#idleTimer);
    this.#lastError = this.#goneError('its work', connection, link);
    this.#backOff.failed(performance.now());
    this.#parts.logger.debug('An upstream went away', { server: this.server.name, cause: this.#lastError });
    this.#parts.onEnd(this, this.#lastError);
    void this.#closeQuietly(connection);
  }

  async #disconnect(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    if (!connection) return;
    this.#parts.onEnd(this, undefined);
    await this.#closeQuietly(connection);
  }

  #closeQuietly(connection: Connection): Promise<void> {
    const closing = connection
      .close()
      .catch((cause: unknown) => this.#parts.logger.debug('Cannot close', { server: this.server.name, cause }))
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
    return closing;
  }

  #waitForIdle(): void {
    clearTimeout(this.#idleTimer);
    if (!this.#connection || !this.#places.isEmpty) return;
    this.#idleTimer = setTimeout(() => void this.#disconnect(), this.#parts.limits.idleMs);
    this.#idleTimer.unref();
  }

  #askPlace(): AskPlace {
    return {
      server: this.server.name,
      callers: () => [...this.#calls].map(({ caller }) => caller).filter((caller) => caller !== undefined),
      onRefused: (error) => {
        for (const { onRefused } of this.#calls) onRefused?.(error);
      },
      whileAsking: async (answer) => {
        this.#asksOpen += 1;
        for (const { clock } of this.#calls) clock.pause();
        try {
          return await answer();
        } finally {
          this.#asksOpen -= 1;
          if (this.#asksOpen === 0) for (const { clock } of this.#calls) clock.resume();
        }
      },
    };
  }

  #goneError(what: string, connection: Connection, link: BrokenLink): AppError {
    return goneError(this.server.name, what, link, connection, this.stderr);
  }
}
