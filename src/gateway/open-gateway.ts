import { AppError } from '#contracts/errors';
import type { ToolInfo, ToolReply } from '#contracts/tool';
import type { Logger } from '#observability/logger';
import type { Fields } from './connection.ts';
import type { DiscoveredServer } from './discovery/discovery.ts';
import type { LastWords } from './last-words.ts';
import { didYouMean } from './nearest.ts';
import type { UpstreamPool } from './pool.ts';
import type {
  CallOptions,
  FindOptions,
  FoundTool,
  FoundTools,
  Gateway,
  ResourceContents,
  UpstreamOptions,
  UpstreamStatus,
} from './port.ts';
import type { ToolBook } from './tool-book.ts';
import { failureText, isFields, resourceValue, toolValue } from './values.ts';

const HITS_DEFAULT = 10;

export class OpenGateway implements Gateway {
  readonly #pool: UpstreamPool;
  readonly #book: ToolBook;
  readonly #words: LastWords;
  readonly #logger: Logger;

  constructor(pool: UpstreamPool, book: ToolBook, words: LastWords, logger: Logger) {
    this.#pool = pool;
    this.#book = book;
    this.#words = words;
    this.#logger = logger;
  }

  async call(server: string, tool: string, args: Fields, options: CallOptions = {}): Promise<ToolReply> {
    const found = this.#pool.find(server);
    const isKnown = await this.#book.has(found, tool);
    // Only now, and used at once: an upstream that is held over a wait may be retired by then.
    const upstream = this.#pool.upstream(server, options.session);
    let refusal: AppError | undefined;
    const onRefused = (error: AppError) => {
      refusal = error;
    };
    try {
      const result = await upstream.use(`tool "${tool}"`, { ...options, onRefused }, async (connection, signal) => {
        if (!isKnown) await this.#mustHave(found, tool, () => this.#book.readList(upstream, connection, signal));
        return await connection.callTool({ tool, args, signal, onProgress: options.onProgress });
      });
      if (result.isError && !options.raw) throw new AppError('UPSTREAM_FAILED', failureText(result));
      return { result, value: toolValue(result) };
    } catch (error) {
      // That it could not ask is why it failed; its own words about that are about a protocol.
      if (refusal && error instanceof AppError && error.code === 'UPSTREAM_FAILED') throw refusal;
      throw error;
    }
  }

  async tools(server: string, options: UpstreamOptions = {}): Promise<readonly ToolInfo[]> {
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
    const found: UpstreamStatus[] = [];
    // One after the other, as in `ToolBook.follow`: each may be read from disk.
    for (const server of this.#pool.servers()) found.push(await this.#statusOf(server));
    return found;
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
      connection.readResource(uri, signal),
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
      connection.getPrompt(name, args, signal),
    );
  }

  async lastWords(server: string): Promise<string> {
    const { fingerprint } = this.#pool.find(server);
    return this.#pool.running(server)?.stderr.text() || ((await this.#words.read(fingerprint))?.stderr ?? '');
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
    const found = (await this.#book.whole(server)).find((info) => info.name === tool);
    if (detail === 'full' || !found) return found;
    const { inputSchema: _input, outputSchema: _output, ...summary } = found;
    return summary;
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
      lastError:
        needs ?? (upstream ? upstream.lastError?.message : (await this.#words.read(server.fingerprint))?.error),
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
      connection.listAll(method, key, signal),
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
