/**
 * What upstreams ask for themselves: a person's answer, a model's words, the directories that they may work in.
 *
 * Who can answer is decided outside; what is absent here is not offered, and an upstream that asks for it anyway is
 * told so. Requests and answers are those of the protocol, in either era, and are passed through as they are.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type Client, type ClientCapabilities, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import { AppError, messageOf } from '#contracts/errors';
import type { AskFields } from '#contracts/person';
import { callerOfAnswer } from './caller-of-answer.ts';

export interface Ask {
  readonly server: string;
  readonly params: AskFields;
  /** The upstream no longer waits. */
  readonly signal: AbortSignal;
  /** Who has calls going on at this upstream (`CallOptions.caller`): the ask came out of one of those. */
  readonly callers: readonly unknown[];
}

export interface UpstreamAsks {
  /** `elicitation/create`: the answer is the protocol's `{ action, content }`. */
  readonly elicit?: (ask: Ask) => Promise<AskFields>;
  /** `sampling/createMessage`: the answer is the protocol's `{ role, model, content }`. */
  readonly sample?: (ask: Ask) => Promise<AskFields>;
}

/** Directories for `roots/list`; nobody is asked for those. */
export interface Root {
  readonly uri: string;
  readonly name?: string;
}

export function capabilitiesFor({ elicit, sample }: UpstreamAsks, roots: readonly Root[]): ClientCapabilities {
  return {
    ...(elicit && { elicitation: { form: {}, url: {} } }),
    ...(sample && { sampling: {} }),
    ...(roots.length > 0 && { roots: {} }),
  };
}

export interface AskPlace {
  readonly server: string;
  readonly callers: () => readonly unknown[];
  /** The clocks of calls stand still while somebody thinks about an answer. */
  readonly whileAsking: <Answer>(answer: () => Promise<Answer>) => Promise<Answer>;
  /** Nobody could be asked. The upstream is told, and so are the calls that it may have asked for. */
  readonly onRefused: (error: AppError) => void;
}

/** Shows a person pages that a call needs first. Whether they were all opened and done with. */
export type OpenPages = (pages: readonly AskFields[], signal: AbortSignal) => Promise<boolean>;

/** A server that never says that a page is done with is tried again after this. */
const PAGE_MS_MAX = 2 * 60_000;

export function answerAsks(
  client: Client,
  asks: UpstreamAsks,
  roots: readonly Root[],
  place: AskPlace,
): OpenPages | undefined {
  const callers = () => {
    const own = client.getProtocolEra() === 'modern' ? callerOfAnswer.getStore() : undefined;
    return own === undefined ? place.callers() : [own];
  };
  const pass = async (handler: (ask: Ask) => Promise<AskFields>, params: unknown, signal: AbortSignal) => {
    try {
      return await place.whileAsking(() =>
        handler({ server: place.server, params: (params ?? {}) as AskFields, signal, callers: callers() }),
      );
    } catch (error) {
      const refusal = error instanceof AppError ? error : new AppError('INTERNAL', messageOf(error), { cause: error });
      place.onRefused(refusal);
      throw refusal;
    }
  };
  const { elicit, sample } = asks;
  // The answers are checked by the SDK against the protocol before they leave.
  if (elicit) {
    client.setRequestHandler('elicitation/create', async ({ params }, ctx) => {
      return (await pass(elicit, params, ctx.mcpReq.signal)) as never;
    });
  }
  if (sample) {
    client.setRequestHandler('sampling/createMessage', async ({ params }, ctx) => {
      return (await pass(sample, params, ctx.mcpReq.signal)) as never;
    });
  }
  client.fallbackRequestHandler = async ({ method }) => {
    const refusal = notOffered(place.server, method);
    if (refusal) place.onRefused(refusal);
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, refusal?.message ?? 'Method not found');
  };
  if (roots.length > 0) client.setRequestHandler('roots/list', () => ({ roots: roots.map((root) => ({ ...root })) }));
  if (!elicit) return undefined;
  const done = doneWithPages(client);
  return async (pages, signal) => {
    for (const page of pages) {
      const isDone = done(page.elicitationId);
      const { action } = await pass(elicit, { ...page, mode: 'url' }, signal);
      if (action !== 'accept') return false;
      await place.whileAsking(() => Promise.race([isDone, waitAtMost(PAGE_MS_MAX, signal)]));
    }
    return true;
  };
}

/** The server tells when a person has finished with a page. */
function doneWithPages(client: Client): (id: unknown) => Promise<void> {
  const waiting = new Map<unknown, () => void>();
  client.setNotificationHandler('notifications/elicitation/complete', ({ params }) => {
    waiting.get(params.elicitationId)?.();
    waiting.delete(params.elicitationId);
  });
  return (id) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.set(id, resolve);
    return promise;
  };
}

async function waitAtMost(timeMs: number, signal: AbortSignal): Promise<void> {
  await wait(timeMs, undefined, { signal, ref: false });
}

const CANNOT: Readonly<Record<string, string>> = {
  'elicitation/create': 'asks a person something (elicitation)',
  'sampling/createMessage': 'asks for words of a model (sampling)',
};

/** The upstream was not told that it may ask this, and asks anyway. */
function notOffered(server: string, method: string): AppError | undefined {
  const what = CANNOT[method];
  return what === undefined
    ? undefined
    : new AppError('CALLER_CANNOT', `Server "${server}" ${what}, and this client cannot ask them`, {
        hint: 'Use a client that can, or another tool',
      });
}
