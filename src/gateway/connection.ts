/**
 * A connection that has shaken hands, in the words of this house.
 *
 * Only `connect.ts` and what it imports know the SDK, and that is loaded with the first connection: a session that calls
 * no tool does not pay for it. Requests reject with an AppError when the upstream answered and the answer is a failure,
 * with a BrokenLink when there was no answer to be had, and in any way they like once their signal is aborted.
 */
import type { ToolProgress, ToolResult } from '#contracts/tool';
import type { ListedTool } from './tool-list.ts';

/** As the upstream sends them. */
export type Fields = Readonly<Record<string, unknown>>;

export interface ToolRequest {
  readonly tool: string;
  readonly args: Fields;
  readonly signal: AbortSignal;
  readonly onProgress: ((progress: ToolProgress) => void) | undefined;
}

export interface ListedServer {
  /** What the server says it is for. */
  readonly about: string | undefined;
  readonly tools: readonly ListedTool[];
}

export interface Connection {
  readonly pid: number | undefined;
  /** It may be so from the beginning: whoever connects is told only of ends that come later. */
  readonly isGone: boolean;
  /** How an upstream that went by itself did so: `exit code 1`. */
  readonly ending: string | undefined;
  callTool(request: ToolRequest): Promise<ToolResult>;
  listTools(signal: AbortSignal): Promise<ListedServer>;
  /** All pages of a list; empty where the server has no such list. */
  listAll(method: string, key: string, signal: AbortSignal): Promise<unknown[]>;
  readResource(uri: string, signal: AbortSignal): Promise<Fields[]>;
  getPrompt(name: string, args: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Fields>;
  close(): Promise<void>;
}

/** No answer came, and none will come over this connection. */
export class BrokenLink extends Error {
  override readonly name = 'BrokenLink';
  /** The upstream has forgotten us: nothing was done, and a new connection will do. */
  readonly isSessionLost: boolean;

  constructor(reason: string, options: { isSessionLost?: boolean; cause?: unknown } = {}) {
    super(reason, { cause: options.cause });
    this.isSessionLost = options.isSessionLost === true;
  }
}

/** A server did not shake hands in the time that it had. */
export class StartTimeout extends Error {
  override readonly name = 'StartTimeout';
}
