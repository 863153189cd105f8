/**
 * Who can be asked while a run goes on: the person behind a door, and the model that works for them.
 *
 * What a door cannot do is absent. Questions and answers are those of the protocol (`elicitation/create`,
 * `sampling/createMessage`), without the part that is about transport.
 */
export type AskFields = Readonly<Record<string, unknown>>;

export interface Person {
  /** The same for all requests of one caller; two runs with different doors belong to different people. */
  readonly door: unknown;
  /** A form, or a page to open (`mode: 'url'`). The answer is `{ action, content }`; nobody answering is `cancel`. */
  readonly elicit?: (params: AskFields, signal: AbortSignal) => Promise<AskFields>;
  /** The answer is `{ role, model, content }`. */
  readonly sample?: (params: AskFields, signal: AbortSignal) => Promise<AskFields>;
}
