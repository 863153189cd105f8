/**
 * What Sallyport saves its users, and what it costs them, in tokens of one tokenizer.
 *
 * Without it, a client reads the schemas of all tools once per connection, and for each call writes a name and arguments and
 * reads the result. With it, the client reads the definition of one tool and the instructions once per connection, and for each
 * run writes what it sends and reads what comes back. A run that cost more than it saved is negative, and so is one without calls.
 *
 * Runs without calls are counted when somebody has time: their answers do not wait for it, and say 0.
 */
import type { Logger } from '#observability/logger';
import { appendLedger, type LedgerLine } from './ledger-file.ts';
import { TokenCounter } from './token-counter.ts';

/** A longer result is cut by the clients that people have, so nobody would have paid for more: 25,000 tokens. */
const RESULT_CHARS_MAX = 100_000;
/** More than any model writes or reads at once; the rest of such a text is data that a program sent. */
const OWN_CHARS_MAX = 1_000_000;
/** An answer waits no longer than this for its count; only the first one of a process has to wait for the tokenizer. */
const ANSWER_WAIT_MS = 5_000;
/** Runs without calls are counted together after this long. */
const LATER_MS = 20_000;
/** What is being counted when the process ends has this long. */
const CLOSE_MS_MAX = 500;
const TALLIES_MAX = 1_000;
/** Calls are counted in batches, so that the program's next call does not share the processor with the last one. */
const BATCH_MS = 100;
/** English and code, on average; for what nobody counted before the process ended. */
const CHARS_PER_TOKEN = 4;

export interface RunTexts {
  /** All that the caller sent. */
  readonly sent: string;
  /** All texts of the answer. */
  readonly returned: readonly string[];
}

export interface AnsweredRun {
  readonly runId: string;
  readonly session: string;
  readonly caller: string;
  readonly toolCalls: number;
  /** Nothing more will be returned of it. */
  readonly isOver: boolean;
}

interface Tally {
  readonly counts: Promise<number>[];
  /** Texts of calls that are not being counted yet. */
  readonly calls: string[];
  readonly own: string[];
  timer: NodeJS.Timeout | undefined;
}

export class SavingsLedger {
  readonly #stateDir: string;
  readonly #logger: Logger;
  readonly #counter: TokenCounter;
  readonly #tallies = new Map<string, Tally>();
  readonly #connections = new WeakSet<object>();
  readonly #later: Array<(isEnding: boolean) => Promise<void>> = [];
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();

  constructor(stateDir: string, logger: Logger) {
    this.#stateDir = stateDir;
    this.#logger = logger;
    this.#counter = new TokenCounter(logger);
  }

  /** Something will have to be counted soon. */
  prepare(): void {
    this.#counter.prepare();
  }

  /** One call of a tool, as the caller would have made it. */
  noteCall(runId: string, call: string, result: string): void {
    const tally = this.#tally(runId);
    tally.calls.push(call, result.slice(0, RESULT_CHARS_MAX));
    tally.timer ??= setTimeout(() => this.#countCalls(tally), BATCH_MS).unref();
  }

  /** What the run has saved up to now; 0 for a run without calls, which is counted later. */
  async answered(run: AnsweredRun, { sent, returned }: RunTexts): Promise<number> {
    const tally = this.#tally(run.runId);
    tally.own.push(...[sent, ...returned].map((text) => text.slice(0, OWN_CHARS_MAX)));
    if (run.isOver) this.#tallies.delete(run.runId);
    if (run.toolCalls === 0) {
      if (run.isOver) this.#countLater(async (isEnding) => await this.#writeLater(run, tally.own, isEnding));
      return 0;
    }
    const written = this.#count(tally).then(async ({ without, own }) => {
      if (run.isOver) await this.#append(lineOf(run, without, own));
      return without - own;
    });
    this.#working = Promise.all([this.#working, written]).then(() => {});
    return await within(ANSWER_WAIT_MS, written, 0);
  }

  /** Once for each connection that runs something. `schemas` are the lists of all tools that it did not have to read. */
  noteConnection(
    connection: object,
    own: () => Promise<readonly string[]>,
    schemas: () => Promise<readonly string[]>,
  ): void {
    if (this.#connections.has(connection)) return;
    this.#connections.add(connection);
    this.#countLater(async (isEnding) => {
      const [without, paid] = [
        await this.#countOrGuess(await schemas(), isEnding),
        await this.#countOrGuess(await own(), isEnding),
      ];
      await this.#append({
        time: new Date().toISOString(),
        kind: 'connection',
        without: without.tokens,
        with: paid.tokens,
        ...paid.mark,
      });
    });
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#workOff({ isEnding: true });
    await within(CLOSE_MS_MAX, this.#working, undefined);
    this.#counter.close();
    await this.#working;
  }

  #tally(runId: string): Tally {
    const known = this.#tallies.get(runId);
    if (known) return known;
    const [oldest] = this.#tallies.keys();
    if (oldest !== undefined && this.#tallies.size >= TALLIES_MAX) this.#tallies.delete(oldest);
    const tally: Tally = { counts: [], calls: [], own: [], timer: undefined };
    this.#tallies.set(runId, tally);
    return tally;
  }

  #countCalls(tally: Tally): void {
    clearTimeout(tally.timer);
    tally.timer = undefined;
    if (tally.calls.length > 0) tally.counts.push(this.#counter.count(tally.calls.splice(0)));
  }

  async #count(tally: Tally): Promise<{ without: number; own: number }> {
    this.#countCalls(tally);
    const [paid, ...calls] = await Promise.all([this.#counter.count(tally.own), ...tally.counts]);
    return { without: calls.reduce((sum, tokens) => sum + tokens, 0), own: paid };
  }

  async #writeLater(run: AnsweredRun, own: readonly string[], isEnding: boolean): Promise<void> {
    const { tokens, mark } = await this.#countOrGuess(own, isEnding);
    await this.#append({ ...lineOf(run, 0, tokens), ...mark });
  }

  /** A process that ends does not load the tokenizer any more. */
  async #countOrGuess(texts: readonly string[], isEnding: boolean) {
    if (!isEnding || this.#counter.isReady) return { tokens: await this.#counter.count(texts), mark: {} };
    const chars = texts.reduce((sum, text) => sum + text.length, 0);
    return { tokens: Math.ceil(chars / CHARS_PER_TOKEN), mark: { isEstimate: true as const } };
  }

  #countLater(work: (isEnding: boolean) => Promise<void>): void {
    this.#later.push(work);
    this.#timer ??= setTimeout(() => this.#workOff({ isEnding: false }), LATER_MS).unref();
  }

  #workOff({ isEnding }: { isEnding: boolean }): void {
    this.#timer = undefined;
    const works = this.#later.splice(0);
    this.#working = this.#working.then(async () => {
      for (const work of works) await work(isEnding);
    });
  }

  async #append(line: LedgerLine): Promise<void> {
    try {
      await appendLedger(this.#stateDir, [line]);
    } catch (cause) {
      this.#logger.debug('The savings ledger cannot be written', { cause });
    }
  }
}

function lineOf({ runId, session, caller, toolCalls }: AnsweredRun, without: number, own: number): LedgerLine {
  const time = new Date().toISOString();
  return { time, kind: 'run', run: runId, session, caller, calls: toolCalls, without, with: own };
}

async function within<Value>(ms: number, work: Promise<Value>, otherwise: Value): Promise<Value> {
  const { promise: late, resolve } = Promise.withResolvers<Value>();
  const timer = setTimeout(() => resolve(otherwise), ms);
  const value = await Promise.race([work, late]);
  clearTimeout(timer);
  return value;
}
