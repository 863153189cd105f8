/**
 * The user's MCP servers as one house of tools: found by search, called by name, started when first needed.
 *
 * Decides nothing about who may call what; that is done before a call gets here. Everything that comes out is an
 * upstream's word, and every failure is an AppError, but for a caller's own cancellation: that rejects with the reason
 * that the caller gave.
 */
import type { AuthProvider, Implementation, OAuthClientProvider } from '@modelcontextprotocol/client';
import type { ServerEntry } from '#clients/entry';
import { AppError } from '#contracts/errors';
import type { UpstreamLimits } from '#contracts/limits';
import type { ToolInfo, ToolProgress, ToolReply, ToolValue } from '#contracts/tool';
import type { Logger } from '#observability/logger';
import type { UpstreamAsks } from './asks.ts';
import type { DiscoveredServer, ServerSource } from './discovery/discovery.ts';
import type { Environment } from './environment.ts';
import { didYouMean } from './nearest.ts';
import { UpstreamPool } from './pool.ts';
import { requestAll, requestPrompt, requestResource, requestTool } from './requests.ts';
import type { NearServer } from './search/index.ts';
import { ToolBook } from './tool-book.ts';
import type { UpstreamState } from './upstream.ts';
import { failureText, isFields, resourceValue, toolValue } from './values.ts';
import { Verdicts } from './verdicts.ts';

export interface GatewayOptions {
  /** Asked again and again; the same array as long as nothing changed. */
  readonly servers: () => readonly DiscoveredServer[];
  readonly stateDir: string;
  readonly logger: Logger;
  /** The host's environment, of which upstreams get what a machine needs. */
  readonly env: Environment;
  readonly limits: UpstreamLimits;
  readonly clientInfo: Implementation;
  readonly asks?: UpstreamAsks;
  readonly authProviderFor?: (entry: ServerEntry) => AuthProvider | OAuthClientProvider | undefined;
}

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

/** As the upstream sends them. */
type Fields = Readonly<Record<string, unknown>>;

export interface ResourceContents {
  readonly contents: readonly Fields[];
  readonly value: ToolValue;
}

export interface Gateway {
  call(server: string, tool: string, args: Fields, options?: CallOptions): Promise<ToolReply>;
  /** All tools of a server, from the catalogue if it has them. */
  tools(server: string, options?: UpstreamOptions): Promise<ToolInfo[]>;
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
  /** The end of what a server printed beside its messages; empty when it did not run. */
  stderr(server: string): string;
  /** Reads the catalogue ahead of the first search, in the background. */
  warm(): void;
  /** Resolves when no list is being read in the background. */
  settled(): Promise<void>;
  /** Ends the upstreams that belong to one session. */
  endSession(session: string): void;
  /** Ends all upstreams, with everything that they started. */
  close(): Promise<void>;
}

const HITS_DEFAULT = 10;

export function createGateway(options: GatewayOptions): Gateway {
  const { logger, stateDir, limits } = options;
  const pool = new UpstreamPool(options.servers, {
    env: options.env,
    limits,
    logger,
    verdicts: new Verdicts(stateDir, logger),
    asks: options.asks ?? {},
    authProviderFor: options.authProviderFor ?? (() => undefined),
    clientInfo: options.clientInfo,
    onReady: (upstream) => book.noteStart(upstream),
    onToolsChanged: (upstream) => book.noteChange(upstream),
  });
  const book: ToolBook = new ToolBook({
    stateDir,
    logger,
    servers: () => pool.servers(),
    upstream: (name) => pool.upstream(name, undefined),
    listMs: limits.startMs,
  });
  return new OpenGateway(pool, book, logger);
}

class OpenGateway implements Gateway {
  readonly #pool: UpstreamPool;
  readonly #book: ToolBook;
  readonly #logger: Logger;

  constructor(pool: UpstreamPool, book: ToolBook, logger: Logger) {
    this.#pool = pool;
    this.#book = book;
    this.#logger = logger;
  }

  async call(server: string, tool: string, args: Fields, options: CallOptions = {}): Promise<ToolReply> {
    const found = this.#pool.find(server);
    const isKnown = await this.#book.has(found, tool);
    // Only now, and used at once: an upstream that is held over a wait may be retired by then.
    const upstream = this.#pool.upstream(server, options.session);
    const result = await upstream.use(`tool "${tool}"`, options, async (connection, signal) => {
      if (!isKnown) await this.#mustHave(found, tool, () => this.#book.readList(upstream, connection, signal));
      return await requestTool(connection, { tool, args, signal, onProgress: options.onProgress });
    });
    if (result.isError && !options.raw) throw new AppError('UPSTREAM_FAILED', failureText(result));
    return { result, value: toolValue(result) };
  }

  async tools(server: string, options: UpstreamOptions = {}): Promise<ToolInfo[]> {
    const found = this.#pool.find(server);
    if ((await this.#book.known(found)) === undefined) {
      await this.#book.refresh(this.#pool.upstream(server, options.session), options);
    }
    return await this.#book.whole(found);
  }

  async tool(server: string, tool: string, options: UpstreamOptions = {}): Promise<ToolInfo> {
    const found = this.#pool.find(server);
    if (!(await this.#book.has(found, tool))) {
      const upstream = this.#pool.upstream(server, options.session);
      await this.#mustHave(found, tool, () => this.#book.refresh(upstream, options));
    }
    const info = (await this.#book.whole(found)).find(({ name }) => name === tool);
    if (!info) throw new AppError('INTERNAL', `The catalogue lost tool ${JSON.stringify(tool)}`);
    return info;
  }

  async search(
    query: string,
    { limit = HITS_DEFAULT, server, detail = 'full' }: FindOptions = {},
  ): Promise<FoundTools> {
    if (server !== undefined) this.#pool.find(server);
    const { hits, unsure, nearestServers } = await this.#book.search(query, { limit, server });
    const described = hits.map(async ({ tool: { server: name, name: tool }, score }) => {
      return { score, tool: await this.#describe(name, tool, detail) };
    });
    return {
      hits: (await Promise.all(described)).flatMap(({ score, tool }) => (tool ? [{ score, tool }] : [])),
      unsure,
      nearestServers,
      notIndexed: await this.#notIndexed(server),
    };
  }

  async status(): Promise<UpstreamStatus[]> {
    return await Promise.all(this.#pool.servers().map((server) => this.#statusOf(server)));
  }

  async resources(server: string, options: UpstreamOptions = {}): Promise<Fields[]> {
    return await this.#list(server, 'resources/list', 'resources', options);
  }

  async resourceTemplates(server: string, options: UpstreamOptions = {}): Promise<Fields[]> {
    return await this.#list(server, 'resources/templates/list', 'resourceTemplates', options);
  }

  async prompts(server: string, options: UpstreamOptions = {}): Promise<Fields[]> {
    return await this.#list(server, 'prompts/list', 'prompts', options);
  }

  async read(server: string, uri: string, options: UpstreamOptions = {}): Promise<ResourceContents> {
    const upstream = this.#pool.upstream(server, options.session);
    const contents = await upstream.use(`resource "${uri}"`, options, (connection, signal) =>
      requestResource(connection, uri, signal),
    );
    const [first, ...rest] = contents.map(resourceValue);
    if (first === undefined) return { contents, value: { kind: 'none' } };
    return { contents, value: rest.length === 0 ? first : { kind: 'list', items: [first, ...rest] } };
  }

  async prompt(
    server: string,
    name: string,
    args: Readonly<Record<string, string>>,
    options: UpstreamOptions = {},
  ): Promise<Fields> {
    const upstream = this.#pool.upstream(server, options.session);
    return await upstream.use(`prompt "${name}"`, options, (connection, signal) =>
      requestPrompt(connection, name, args, signal),
    );
  }

  stderr(server: string): string {
    this.#pool.find(server);
    return this.#pool.running(server)?.stderr.text() ?? '';
  }

  warm(): void {
    this.#book.prepare().catch((cause: unknown) => this.#logger.debug('Cannot read the catalogue', { cause }));
  }

  settled(): Promise<void> {
    return this.#book.settled();
  }

  endSession(session: string): void {
    this.#pool.endSession(session);
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.close(), this.#book.close()]);
  }

  /** A name that the catalogue does not have may be new: the server is asked before it is called wrong. */
  async #mustHave(server: DiscoveredServer, tool: string, readList: () => Promise<void>): Promise<void> {
    await readList();
    if (await this.#book.has(server, tool)) return;
    throw unknownTool(server.name, tool, [...((await this.#book.known(server))?.keys() ?? [])]);
  }

  async #describe(name: string, tool: string, detail: 'summary' | 'full'): Promise<FoundTool['tool'] | undefined> {
    const server = this.#pool.find(name);
    if (detail === 'full') return (await this.#book.whole(server)).find((info) => info.name === tool);
    const known = (await this.#book.known(server))?.get(tool);
    if (!known) return undefined;
    const { parameters: _left, ...rest } = known;
    return { server: name, ...rest };
  }

  async #notIndexed(only: string | undefined): Promise<Array<{ server: string; why: string }>> {
    const candidates = this.#pool.servers().filter(({ name, state }) => {
      return state !== 'disabled' && (only === undefined || only === name);
    });
    const found = await Promise.all(
      candidates.map(async (server) => {
        if ((await this.#book.known(server)) !== undefined) return [];
        const { lastError } = await this.#statusOf(server);
        const why = lastError ?? (this.#book.isBeingListed(server) ? 'its tools are being listed' : 'not listed yet');
        return [{ server: server.name, why }];
      }),
    );
    return found.flat();
  }

  async #statusOf(server: DiscoveredServer): Promise<UpstreamStatus> {
    const { name, entry, source, state } = server;
    const upstream = this.#pool.running(name);
    const needs = state === 'needs-input' ? this.#complaintOf(name) : undefined;
    return {
      name,
      state: state === 'disabled' ? 'disabled' : needs === undefined ? (upstream?.state ?? 'idle') : 'failed',
      transport: entry.transport,
      description: entry.description,
      tools: (await this.#book.known(server))?.size,
      lastError: needs ?? upstream?.lastError?.message,
      source,
      pid: upstream?.pid,
    };
  }

  #complaintOf(name: string): string | undefined {
    try {
      this.#pool.upstream(name, undefined);
      return undefined;
    } catch (error) {
      if (error instanceof AppError) return error.message;
      throw error;
    }
  }

  async #list(server: string, method: string, key: string, options: UpstreamOptions): Promise<Fields[]> {
    const upstream = this.#pool.upstream(server, options.session);
    const entries = await upstream.use(`its list of ${key}`, options, (connection, signal) =>
      requestAll(connection, method, key, signal),
    );
    return entries.filter(isFields);
  }
}

function unknownTool(server: string, tool: string, names: readonly string[]): AppError {
  return new AppError('TOOL_UNKNOWN', `Upstream "${server}" has no tool ${JSON.stringify(tool.slice(0, 100))}`, {
    hint:
      didYouMean(tool, names) ??
      (names.length === 0 ? 'It has no tools at all' : `It has ${names.length} tools: mcp.search() finds them`),
  });
}
