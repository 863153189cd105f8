/** One MCP server as a config file describes it, in the house's words whatever the client calls things. */

export type Transport = 'stdio' | 'http' | 'sse';

export interface ServerEntry {
  /** As written; any text. */
  readonly name: string;
  readonly transport: Transport;
  /** The file gives a URL and does not say which transport is behind it; when this one fails, the other is worth a try. */
  readonly isTransportGuessed: boolean;
  /** What to start: with `stdio` only, and then always, but for an entry that only says `disabled`. */
  readonly command?: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Variables of the host that the server gets under the same name, where they are set. */
  readonly envNames: readonly string[];
  /** A file of `NAME=value` lines; `env` wins over it. */
  readonly envFile?: string;
  readonly cwd?: string;
  /** Where to connect: with `http` and `sse` only, and then always. */
  readonly url?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly oauth?: OAuthSettings;
  readonly description?: string;
  readonly disabled: boolean;
  readonly toolFilter?: ToolFilter;
  /** Time for one call. */
  readonly timeoutMs?: number;
  /** Time for start and handshake. */
  readonly startTimeoutMs?: number;
  /** Calls that it gets in a minute, and at once. Only our own config can say so. */
  readonly callsPerMinute?: number;
  readonly callsAtOnce?: number;
  /** What the file asks a person for; `${input:ID}` in the texts above refers to it. */
  readonly inputs: readonly ServerInput[];
  /** Directories that the server is told to work in. Only our own config can say so. */
  readonly roots?: readonly string[];
  /** One process for all sessions, or one for each. */
  readonly share: 'all' | 'session';
  /** A person vouches for what the server says about its tools. Only our own config can say so. */
  readonly trusted: boolean;
}

/** Names of tools, `*` standing for any text. `exclude` is stronger; without `include` every tool is in. */
export interface ToolFilter {
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

/** A client that is registered already, for servers that register none by themselves. */
export interface OAuthSettings {
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly scopes: readonly string[];
  readonly callbackPort?: number;
}

export interface ServerInput {
  readonly id: string;
  readonly description?: string;
  readonly isPassword: boolean;
  readonly default?: string;
  /** The answers to choose from; empty where any text will do. */
  readonly options: readonly string[];
}
