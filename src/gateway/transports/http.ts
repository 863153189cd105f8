/** MCP over HTTP: the SDK's transports, held to our bounds and to a clean end. */
import {
  type AuthProvider,
  type JSONRPCMessage,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { boundedFetch } from './bounded-fetch.ts';
import { linkError } from './link-errors.ts';

export interface HttpPlan {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly authProvider: AuthProvider | undefined;
}

/** How long an upstream may take to hear that its session is over; nobody waits longer for that. */
const GOODBYE_MS = 1_000;

function optionsOf({ headers, authProvider }: HttpPlan) {
  return {
    requestInit: { headers: { ...headers } },
    fetch: boundedFetch,
    ...(authProvider === undefined ? {} : { authProvider }),
  };
}

type SendOptions = Parameters<StreamableHTTPClientTransport['send']>[1];

export class HttpTransport extends StreamableHTTPClientTransport {
  constructor(plan: HttpPlan) {
    super(plan.url, optionsOf(plan));
  }

  /** A stream that breaks before the answer came would otherwise be waited for until the call's time is over. */
  override send(message: JSONRPCMessage | JSONRPCMessage[], options?: SendOptions): Promise<void> {
    if (Array.isArray(message) || !('method' in message) || !('id' in message) || options?.onRequestStreamEnd) {
      return super.send(message, options);
    }
    const { id } = message;
    const onRequestStreamEnd = () => this.onmessage?.(linkError(id, 'lost', 'The connection ended before the answer'));
    return super.send(message, { ...options, onRequestStreamEnd });
  }

  override async close(): Promise<void> {
    if (this.sessionId !== undefined) {
      const goodbye = this.terminateSession().catch(() => {}); // a courtesy: the upstream ends it by itself later
      await Promise.race([goodbye, new Promise((resolve) => setTimeout(resolve, GOODBYE_MS).unref())]);
    }
    await super.close();
  }
}

/** The transport of 2024, which servers still speak. */
export class SseTransport extends SSEClientTransport {
  constructor(plan: HttpPlan) {
    super(plan.url, optionsOf(plan));
  }
}
