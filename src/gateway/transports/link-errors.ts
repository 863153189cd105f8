/** What a transport of ours answers in place of an upstream. JSON-RPC leaves the codes outside -32768…-32000 to us. */
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';
import { BOUNDS } from '#contracts/limits';

export const TOO_LONG = `The answer is longer than ${BOUNDS.upstreamMessageBytesMax / (1024 * 1024)} MiB`;

export class AnswerTooLong extends Error {
  override readonly name = 'AnswerTooLong';
}

export const LINK_ERRORS = { lost: 7_201, answerTooLong: 7_202 } as const;

export function linkError(id: RequestId, kind: keyof typeof LINK_ERRORS, message: string): JSONRPCMessage {
  return { jsonrpc: '2.0', id, error: { code: LINK_ERRORS[kind], message } };
}
