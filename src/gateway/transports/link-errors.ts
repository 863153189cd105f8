/** What a transport of ours answers in place of an upstream. JSON-RPC leaves the codes outside -32768…-32000 to us. */
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';

export const LINK_ERRORS = { lost: 7_201, answerTooLong: 7_202 } as const;

export function linkError(id: RequestId, kind: keyof typeof LINK_ERRORS, message: string): JSONRPCMessage {
  return { jsonrpc: '2.0', id, error: { code: LINK_ERRORS[kind], message } };
}
