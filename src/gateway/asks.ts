/**
 * What upstreams ask for themselves: a person's answer, a model's words, the directories that they may work in.
 *
 * Who can answer is decided outside; what is absent here is not offered, and an upstream that asks for it anyway is
 * told so. Requests and answers are those of the protocol, in either era, and are passed through as they are.
 */
import type { Client, ClientCapabilities } from '@modelcontextprotocol/client';

export type Message = Readonly<Record<string, unknown>>;

export interface Ask {
  readonly server: string;
  readonly params: Message;
  /** The upstream no longer waits. */
  readonly signal: AbortSignal;
  /** Who has calls going on at this upstream (`CallOptions.caller`): the ask came out of one of those. */
  readonly callers: readonly unknown[];
}

export interface UpstreamAsks {
  /** `elicitation/create`: the answer is the protocol's `{ action, content }`. */
  readonly elicit?: (ask: Ask) => Promise<Message>;
  /** `sampling/createMessage`: the answer is the protocol's `{ role, model, content }`. */
  readonly sample?: (ask: Ask) => Promise<Message>;
  /** Directories for `roots/list`. */
  readonly roots?: (server: string) => ReadonlyArray<{ readonly uri: string; readonly name?: string }>;
}

export function capabilitiesFor({ elicit, sample, roots }: UpstreamAsks): ClientCapabilities {
  return {
    ...(elicit && { elicitation: { form: {}, url: {} } }),
    ...(sample && { sampling: {} }),
    ...(roots && { roots: {} }),
  };
}

export interface AskPlace {
  readonly server: string;
  readonly callers: () => readonly unknown[];
  /** The clocks of calls stand still while somebody thinks about an answer. */
  readonly whileAsking: <Answer>(answer: () => Promise<Answer>) => Promise<Answer>;
}

export function answerAsks(client: Client, { elicit, sample, roots }: UpstreamAsks, place: AskPlace): void {
  const pass = (handler: (ask: Ask) => Promise<Message>, params: unknown, signal: AbortSignal) =>
    place.whileAsking(() =>
      handler({ server: place.server, params: (params ?? {}) as Message, signal, callers: place.callers() }),
    );
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
  if (roots)
    client.setRequestHandler('roots/list', () => ({ roots: roots(place.server).map((root) => ({ ...root })) }));
}
