/**
 * The tools of every configured server, under the names that the configuration gives the servers.
 *
 * Brings together what the catalogue knows, what a client's own filter lets through, and the search index. A server that
 * was never listed is started in the background, asked for its list, and stopped; one that runs is asked again after
 * each start and whenever it says that its list has changed.
 */
import { performance } from 'node:perf_hooks';
import { allowsTool } from '#clients/tool-filter';
import { AppError } from '#contracts/errors';
import { BOUNDS } from '#contracts/limits';
import type { ToolInfo } from '#contracts/tool';
import type { Logger } from '#observability/logger';
import { Background } from './background.ts';
import { Catalog, type Listing } from './catalog.ts';
import type { Connection } from './connection.ts';
import type { DiscoveredServer } from './discovery/discovery.ts';
import { createToolIndex, parametersOf, type SearchOptions, type SearchResult } from './search/index.ts';
import type { ListedTool } from './tool-list.ts';
import { untilAborted } from './until-aborted.ts';
import type { Upstream, UseOptions } from './upstream.ts';

export interface ToolBookParts {
  readonly stateDir: string;
  readonly logger: Logger;
  readonly servers: () => readonly DiscoveredServer[];
  /** For upkeep; throws when the server cannot be used. */
  readonly upstream: (name: string) => Upstream;
  readonly listMs: number;
}

/** After a failure, a server's list is not asked for again in the background before this. */
const RETRY_MS = 10 * 60_000;
/** A first call goes before the list; and servers that change their tools change several in a row. */
const PAUSE_MS = 50;

export class ToolBook {
  readonly #parts: ToolBookParts;
  readonly #catalog: Catalog;
  readonly #index = createToolIndex([]);
  /** What the index has of each server. */
  readonly #indexed = new Map<string, { readonly listing: Listing; readonly server: DiscoveredServer }>();
  /** By the list that a server gave, for the entry that asked last. */
  readonly #whole = new WeakMap<
    readonly ListedTool[],
    { readonly server: DiscoveredServer; readonly tools: readonly ToolInfo[] }
  >();
  /** What the index was last brought up to; undefined while lists are missing. */
  #followed: { readonly servers: readonly DiscoveredServer[]; readonly changes: number } | undefined;
  readonly #background = new Background(BOUNDS.upstreamListersMax);
  /** By fingerprint. */
  readonly #failedAt = new Map<string, number>();
  readonly #soonTimers = new Map<Upstream, NodeJS.Timeout>();
  readonly #reading = new Map<Connection, Promise<void>>();
  /** The connections whose server was asked. */
  readonly #read = new WeakSet<Connection>();

  constructor(parts: ToolBookParts) {
    this.#parts = parts;
    this.#catalog = new Catalog(parts.stateDir, parts.logger);
  }

  /** What is known without a start; undefined when the server was never listed. */
  async known(server: DiscoveredServer): Promise<ReadonlySet<string> | undefined> {
    const listing = await this.#catalog.find(server.fingerprint);
    return listing && allowedTools(listing, server);
  }

  async has(server: DiscoveredServer, tool: string): Promise<boolean> {
    const listing = await this.#catalog.find(server.fingerprint);
    return listing?.tools.has(tool) === true && allowsTool(server.entry.toolFilter, tool);
  }

  /** With schemas, of a server that was listed. The same list as long as neither the server nor its entry changes. */
  async whole(server: DiscoveredServer): Promise<readonly ToolInfo[]> {
    const tools = await this.#catalog.tools(server.fingerprint);
    const known = this.#whole.get(tools);
    if (known?.server === server) return known.tools;
    const found = tools
      .filter(({ name }) => allowsTool(server.entry.toolFilter, name))
      .map((tool) => ({ server: server.name, ...tool }));
    this.#whole.set(tools, { server, tools: found });
    return found;
  }

  /** Starts the server if it must, and asks it. */
  async refresh(upstream: Upstream, options: UseOptions = {}): Promise<void> {
    await upstream.use('its list of tools', { ...options, isUpkeep: true }, (connection, signal) =>
      this.readList(upstream, connection, signal),
    );
  }

  /** Asks the server now. Those who ask while it is being asked share the answer. */
  async readList(upstream: Upstream, connection: Connection, signal: AbortSignal): Promise<void> {
    let reading = this.#reading.get(connection);
    if (!reading) {
      reading = this.#readList(upstream, connection).finally(() => this.#reading.delete(connection));
      this.#reading.set(connection, reading);
    }
    await untilAborted(reading, signal);
  }

  /** After a start, unless somebody has asked by then; nobody waits for it. */
  noteStart(upstream: Upstream): void {
    this.#soon(upstream, async (connection, signal) => {
      if (!this.#read.has(connection)) await this.readList(upstream, connection, signal);
    });
  }

  /** An answer that is under way may be from before the change. */
  noteChange(upstream: Upstream): void {
    this.#soon(upstream, async (connection, signal) => {
      await this.#reading.get(connection)?.catch(() => {}); // told to whoever asked for it
      await this.readList(upstream, connection, signal);
    });
  }

  async search(query: string, options: SearchOptions): Promise<SearchResult> {
    await this.follow();
    return this.#index.search(query, options);
  }

  /** Brings the index up to the catalogue and the configuration, and sends for the lists that were never read. */
  async follow(): Promise<void> {
    const all = this.#parts.servers();
    const { changes } = this.#catalog;
    if (this.#followed?.servers === all && this.#followed.changes === changes) return;
    this.#followed = undefined;
    const servers = all.filter(({ state }) => state === 'ready');
    // One after the other: a catalogue of hundreds of servers is read without holding all of its schemas at once.
    let areAllKnown = true;
    for (const server of servers) areAllKnown = (await this.#follow(server)) && areAllKnown;
    const names = new Set(servers.map(({ name }) => name));
    for (const name of this.#indexed.keys()) if (!names.has(name)) this.#forget(name);
    if (areAllKnown) this.#followed = { servers: all, changes };
  }

  /** Reads ahead what the first search would have to. */
  async prepare(): Promise<void> {
    await this.follow();
    this.#index.prepare();
  }

  isBeingListed({ fingerprint }: DiscoveredServer): boolean {
    return this.#background.has(fingerprint);
  }

  /** Resolves when no list is being read in the background. */
  settled(): Promise<void> {
    return this.#background.settled();
  }

  async close(): Promise<void> {
    for (const timer of this.#soonTimers.values()) clearTimeout(timer);
    this.#soonTimers.clear();
    await this.#background.close();
  }

  /** Whether its tools are known. */
  async #follow(server: DiscoveredServer): Promise<boolean> {
    const listing = await this.#catalog.find(server.fingerprint);
    if (!listing) {
      this.#forget(server.name);
      this.#sendForList(server);
      return false;
    }
    const before = this.#indexed.get(server.name);
    if (before?.listing === listing && isIndexedAlike(before.server, server)) return true;
    this.#indexed.set(server.name, { listing, server });
    const serverDescription = server.entry.description ?? listing.about;
    const tools = (await this.whole(server)).map(({ inputSchema, ...tool }) => {
      return { ...tool, serverDescription, parameters: parametersOf(inputSchema) };
    });
    this.#index.replaceServer(server.name, tools);
    return true;
  }

  #forget(name: string): void {
    if (this.#indexed.delete(name)) this.#index.replaceServer(name, []);
  }

  #soon(upstream: Upstream, work: (connection: Connection, signal: AbortSignal) => Promise<void>): void {
    clearTimeout(this.#soonTimers.get(upstream));
    const timer = setTimeout(() => {
      this.#soonTimers.delete(upstream);
      if (upstream.state !== 'ready') return;
      const done = upstream.use('its list of tools', { isUpkeep: true }, work);
      done.catch((cause: unknown) => this.#noteFailure(upstream.server, cause));
    }, PAUSE_MS);
    timer.unref();
    this.#soonTimers.set(upstream, timer);
  }

  async #readList(upstream: Upstream, connection: Connection): Promise<void> {
    const { fingerprint } = upstream.server;
    const listed = await connection.listTools(AbortSignal.timeout(this.#parts.listMs));
    this.#read.add(connection);
    this.#failedAt.delete(fingerprint);
    await this.#catalog.put(fingerprint, listed);
  }

  #sendForList(server: DiscoveredServer): void {
    const failedAt = this.#failedAt.get(server.fingerprint);
    if (failedAt !== undefined && performance.now() - failedAt < RETRY_MS) return;
    this.#background.add(server.fingerprint, async () => {
      try {
        const upstream = this.#parts.upstream(server.name);
        await this.refresh(upstream);
        await upstream.stopIfUnused();
      } catch (cause) {
        this.#noteFailure(server, cause);
      }
    });
  }

  #noteFailure(server: DiscoveredServer, cause: unknown): void {
    const isLogin = cause instanceof AppError && cause.code === 'AUTH_REQUIRED';
    if (!isLogin) this.#failedAt.set(server.fingerprint, performance.now());
    this.#parts.logger.debug('Cannot read the tools of a server', { server: server.name, cause });
  }
}

function allowedTools(listing: Listing, { entry }: DiscoveredServer): ReadonlySet<string> {
  if (entry.toolFilter === undefined) return listing.tools;
  return new Set([...listing.tools].filter((name) => allowsTool(entry.toolFilter, name)));
}

function isIndexedAlike({ entry: a }: DiscoveredServer, { entry: b }: DiscoveredServer): boolean {
  return a === b || JSON.stringify([a.description, a.toolFilter]) === JSON.stringify([b.description, b.toolFilter]);
}
