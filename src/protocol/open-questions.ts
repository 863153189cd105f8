/**
 * What servers asked while a caller of 2026 had a run going on, until the caller comes back with answers.
 *
 * In that protocol nobody is asked in the middle of a request: the request is answered with the questions
 * (`input_required`), and the same request comes again with the answers and with a word that we gave (`requestState`). The
 * word is random and means nothing but an entry in this table, so there is nothing in it to forge.
 */
import { randomUUID } from 'node:crypto';
import { type CallToolResult, inputRequired } from '@modelcontextprotocol/server';
import { AppError } from '#contracts/errors';
import type { AskFields } from '#contracts/person';
import type { LeftRun } from '#engine/run-code';
import { ANSWER_MS_MAX } from './person.ts';

/** Servers that are called side by side ask side by side; one round trip is enough for all of them. */
const GATHER_MS = 20;
/** Runs that may wait for answers at a time; the oldest then goes on without any. */
const WAITING_MAX = 64;

type Method = 'elicitation/create' | 'sampling/createMessage';

interface Question {
  readonly method: Method;
  readonly params: AskFields;
  readonly settle: (answer: AskFields | undefined) => void;
}

export class OpenQuestions {
  readonly #open = new Map<string, Question>();
  #asked = new AbortController();
  #count = 0;

  /** Aborted when there is something to ask. A new one after each round. */
  get asked(): AbortSignal {
    return this.#asked.signal;
  }

  ask(method: Method, params: AskFields, signal: AbortSignal): Promise<AskFields> {
    const { promise, resolve, reject } = Promise.withResolvers<AskFields>();
    const id = `q${++this.#count}`;
    const timer = setTimeout(() => settle(undefined), ANSWER_MS_MAX);
    timer.unref();
    const onAbort = () => {
      this.#close(id, timer);
      reject(signal.reason);
    };
    const settle = (answer: AskFields | undefined) => {
      signal.removeEventListener('abort', onAbort);
      this.#close(id, timer);
      if (answer !== undefined) resolve(answer);
      else if (method === 'elicitation/create') resolve({ action: 'cancel' });
      else reject(new AppError('CALLER_CANNOT', 'Nobody answered what a server asked for'));
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.#open.set(id, { method, params, settle });
    setTimeout(() => this.#asked.abort(), GATHER_MS);
    return promise;
  }

  /** What is not among the answers is asked again. */
  answer(answers: Readonly<Record<string, unknown>>): void {
    this.#asked = new AbortController();
    for (const [id, { settle }] of [...this.#open]) {
      const answer = answers[id];
      if (typeof answer === 'object' && answer !== null) settle(answer as AskFields);
    }
    if (this.#open.size > 0) this.#asked.abort();
  }

  /** Nobody comes back. */
  giveUp(): void {
    for (const { settle } of [...this.#open.values()]) settle(undefined);
  }

  requests(): Record<string, { method: Method; params: AskFields }> {
    return Object.fromEntries([...this.#open].map(([id, { method, params }]) => [id, { method, params }]));
  }

  #close(id: string, timer: NodeJS.Timeout): void {
    clearTimeout(timer);
    this.#open.delete(id);
  }
}

interface Waiting {
  readonly left: LeftRun;
  readonly questions: OpenQuestions;
}

/** The runs of one connection whose callers were sent away with questions. */
export class WaitingRuns {
  readonly #waiting = new Map<string, Waiting>();

  /** The result that sends the caller to ask. */
  sendAway(waiting: Waiting): CallToolResult {
    const word = randomUUID();
    const [oldest] = this.#waiting;
    if (oldest && this.#waiting.size >= WAITING_MAX) {
      this.#waiting.delete(oldest[0]);
      oldest[1].questions.giveUp();
    }
    this.#waiting.set(word, waiting);
    void waiting.left.run.ended.then(() => this.#waiting.delete(word));
    return inputRequired({ inputRequests: waiting.questions.requests() as never, requestState: word }) as never;
  }

  /** A word is good once. Throws when it means nothing, or no longer. */
  take(word: string): Waiting {
    const waiting = this.#waiting.get(word);
    this.#waiting.delete(word);
    if (waiting) return waiting;
    throw new AppError('NOTHING_TO_PICK_UP', 'Nobody waits for these answers any more', {
      hint: 'The run went on without them; send empty code to see what became of it',
    });
  }
}
