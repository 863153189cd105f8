/** `fetch` whose answers cannot be longer than we can hold: a body as a whole, or one event of an event stream. */
import type { FetchLike } from '@modelcontextprotocol/client';
import { BOUNDS } from '#contracts/limits';
import { AnswerTooLong, TOO_LONG } from './link-errors.ts';

/** What was sent with the request of each answer: a token that was refused may not be the latest one. */
const authorizations = new WeakMap<Response, string>();

export function authorizationOf(response: Response): string | undefined {
  return authorizations.get(response);
}

export const boundedFetch: FetchLike = async (url, init) => {
  const response = await boundedAnswer(url, init);
  const sent = new Headers(init?.headers).get('authorization');
  if (sent !== null) authorizations.set(response, sent);
  return response;
};

const boundedAnswer: FetchLike = async (url, init) => {
  const response = await fetch(url, init);
  if (response.body === null) return response;
  const isEventStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(countingStream(isEventStream)), { status, statusText, headers });
};

function countingStream(isEventStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes = isEventStream ? bytesSinceEvent(bytes, chunk) : bytes + chunk.length;
      if (bytes > BOUNDS.upstreamMessageBytesMax) throw new AnswerTooLong(TOO_LONG);
      controller.enqueue(chunk);
    },
  });
}

/** A blank line ends an event. */
function bytesSinceEvent(before: number, chunk: Uint8Array): number {
  const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
  const end = Math.max(text.lastIndexOf('\n\n'), text.lastIndexOf('\n\r\n'));
  return end === -1 ? before + chunk.length : chunk.length - end;
}
