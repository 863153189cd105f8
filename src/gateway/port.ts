/** What the rest of the house may ask of the gateway. */
import type { ServerEntry } from '#clients/entry';
import type { ToolInfo, ToolProgress, ToolReply, ToolValue } from '#contracts/tool';
import type { Fields } from './connection.ts';
import type { ServerSource } from './discovery/discovery.ts';
import type { NearServer } from './search/index.ts';
import type { UpstreamState } from './upstream.ts';

export interface UpstreamOptions {
  readonly signal?: AbortSignal;
  /** From the call to its answer, with the wait for a place and for the server's start. */
  readonly timeoutMs?: number;
  /** For servers that each session has to itself. */
  readonly session?: string;
  /** Handed to whoever answers what an upstream asks during the call. */
  readonly caller?: unknown;
}

export interface CallOptions extends UpstreamOptions {
  readonly onProgress?: (progress: ToolProgress) => void;
  /** A result that says `isError` comes back as it is instead of failing the call. */
  readonly raw?: boolean;
}

export interface FindOptions {
  /** The most hits; 10 when absent. */
  readonly limit?: number;
  /** Only this server's tools. */
  readonly server?: string;
  /** `summary` leaves the schemas out. */
  readonly detail?: 'summary' | 'full';
}

export interface FoundTool {
  /** From 1 upwards the query names the tool; below, it is what the tool is about. */
  readonly score: number;
  /** Without schemas when only a summary was asked for. */
  readonly tool: Omit<ToolInfo, 'inputSchema'> & Partial<Pick<ToolInfo, 'inputSchema'>>;
}

export interface FoundTools {
  readonly hits: readonly FoundTool[];
  readonly unsure: boolean;
  /** Where to look instead; empty unless unsure. */
  readonly nearestServers: readonly NearServer[];
  /** The servers whose tools nobody knows yet. */
  readonly notIndexed: ReadonlyArray<{ readonly server: string; readonly why: string }>;
}

export interface UpstreamStatus {
  readonly name: string;
  readonly state: UpstreamState | 'disabled';
  readonly transport: ServerEntry['transport'];
  readonly description: string | undefined;
  /** Undefined when its tools were never listed. */
  readonly tools: number | undefined;
  readonly lastError: string | undefined;
  readonly source: ServerSource;
  readonly pid: number | undefined;
}

export interface ResourceContents {
  readonly contents: readonly Fields[];
  readonly value: ToolValue;
}

export interface Gateway {
  call(server: string, tool: string, args: Fields, options?: CallOptions): Promise<ToolReply>;
  /** All tools of a server, from the catalogue if it has them. */
  tools(server: string, options?: UpstreamOptions): Promise<readonly ToolInfo[]>;
  /** One tool; what is not in the catalogue is looked for at the server itself. */
  tool(server: string, tool: string, options?: UpstreamOptions): Promise<ToolInfo>;
  search(query: string, options?: FindOptions): Promise<FoundTools>;
  status(): Promise<UpstreamStatus[]>;
  resources(server: string, options?: UpstreamOptions): Promise<Fields[]>;
  resourceTemplates(server: string, options?: UpstreamOptions): Promise<Fields[]>;
  read(server: string, uri: string, options?: UpstreamOptions): Promise<ResourceContents>;
  prompts(server: string, options?: UpstreamOptions): Promise<Fields[]>;
  prompt(
    server: string,
    name: string,
    args: Readonly<Record<string, string>>,
    options?: UpstreamOptions,
  ): Promise<Fields>;
  /** The end of what a server printed beside its messages, now or when it last ran; empty when it never did. */
  lastWords(server: string): Promise<string>;
  /** Reads the catalogue ahead of the first search, in the background. */
  warm(): void;
  /** Resolves when no list is being read in the background. */
  settled(): Promise<void>;
  /** Ends the upstreams that belong to one session. */
  endSession(session: string): void;
  /** Ends all upstreams, with everything that they started. */
  close(): Promise<void>;
}
