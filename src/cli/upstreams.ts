/** `sallyport servers | tools | search | call`: the user's MCP servers, for people and for scripts. */
import { homedir } from 'node:os';
import { AppError } from '#contracts/errors';
import { type CallWish, callTool } from '#engine/call-tool';
import { listServers, listTools, toolLines } from '#engine/find-tools';
import { openGrants, type RunGrants } from '#engine/run-grants';
import { searchTools } from '#engine/search-tools';
import { valueBytes } from '#engine/shell-command';
import type { Upstreams } from '#engine/upstreams';
import type { CommandContext } from './app-port.ts';
import { paint, table, writeAll } from './print.ts';

export interface UpstreamFlags {
  readonly json: boolean;
  readonly limit: string | undefined;
  readonly server: string | undefined;
  readonly timeout: string | undefined;
}

const EXIT_TOOL_FAILED = 1;

export async function servers(context: CommandContext, flags: UpstreamFlags): Promise<number> {
  return await withUpstreams(context, async (upstreams, grants) => {
    const { problems, shadowed, skipped, untrusted, servers: found } = await upstreams.discovery();
    const known = new Map((await listServers(upstreams, grants)).map((server) => [server.name, server]));
    const rows = found.map(({ name, source, state, entry }) => {
      const { description = '', tools = null, error = null } = known.get(name) ?? {};
      return {
        name,
        state,
        transport: entry.transport,
        tools,
        source: source.file,
        client: source.client,
        description,
        error,
      };
    });
    if (flags.json) return await printJson({ servers: rows, problems, shadowed, skipped, untrusted });
    const cells = rows.map((row) => [
      row.name,
      row.state,
      row.transport,
      row.tools === null ? '–' : String(row.tools),
      shortPath(row.source),
      row.error ?? row.description,
    ]);
    const notes = [
      ...problems.map(({ file, line, column, message }) => {
        const place = line === undefined ? '' : `:${line}${column === undefined ? '' : `:${column}`}`;
        return `${paint('red', 'problem')} ${shortPath(file)}${place}: ${message}`;
      }),
      ...skipped.map(
        ({ name, source, reason }) => `${paint('dim', 'skipped')} ${name} (${shortPath(source.file)}): ${reason}`,
      ),
      ...shadowed.map(
        ({ name, source, by }) =>
          `${paint('dim', 'twice')} ${name} (${shortPath(source.file)}): "${by.name}" of ${shortPath(by.source.file)} counts`,
      ),
    ];
    notes.push(
      ...untrusted.map(
        (file) => `${paint('dim', 'not trusted')} ${shortPath(file)}: sallyport trust DIR lets it count`,
      ),
    );
    const list =
      rows.length === 0
        ? 'No servers. Put them under "mcpServers" in your config file.'
        : table([['NAME', 'STATE', 'TRANSPORT', 'TOOLS', 'FROM', 'ABOUT'], ...cells]);
    return await print([list, ...(notes.length > 0 ? ['', ...notes] : [])].join('\n'));
  });
}

export async function tools(
  context: CommandContext,
  [server, ...rest]: readonly string[],
  flags: UpstreamFlags,
): Promise<number> {
  if (server === undefined || rest.length > 0) throw usage('sallyport tools SERVER [--json]');
  return await withUpstreams(context, async (upstreams, grants) => {
    await tellStart(server);
    const found = await listTools(upstreams, grants, server);
    return flags.json ? await printJson(found) : await print(toolLines(found, 'python').join('\n'));
  });
}

export async function search(context: CommandContext, words: readonly string[], flags: UpstreamFlags): Promise<number> {
  if (words.length === 0) throw usage('sallyport search QUERY [--limit N] [--server NAME] [--json]');
  const limit = flags.limit === undefined ? undefined : Number(flags.limit);
  if (limit !== undefined && !(limit > 0))
    throw new AppError('INVALID_INPUT', `--limit takes a number above zero, not "${flags.limit}"`);
  return await withUpstreams(context, async (upstreams, grants) => {
    const wish = {
      query: words.join(' '),
      limit,
      server: flags.server,
      detail: flags.json ? 'full' : 'summary',
      style: 'python',
    } as const;
    const { hits, text } = await searchTools(upstreams, grants, wish);
    return flags.json ? await printJson(hits) : await print(text);
  });
}

export async function call(
  context: CommandContext,
  [server, tool, text, ...rest]: readonly string[],
  flags: UpstreamFlags,
): Promise<number> {
  if (server === undefined || tool === undefined || rest.length > 0)
    throw usage('sallyport call SERVER TOOL [JSON] [--json]');
  const { limits } = await context.settings();
  const wish: CallWish = {
    server,
    tool,
    named: parseArguments(text ?? '{}'),
    positional: [],
    timeoutMs: flags.timeout === undefined ? undefined : limits.timeoutMs,
    token: undefined,
    isRaw: flags.json,
    style: 'shell',
  };
  return await withUpstreams(context, async (upstreams, grants) => {
    await tellStart(server);
    const key = {};
    const place = {
      grants,
      session: undefined,
      sessionName: '',
      sessionKey: key,
      caller: 'sallyport call',
      run: undefined,
    };
    try {
      const answer = await callTool(upstreams, place, wish);
      if (answer.result === undefined) await writeAll(process.stdout, valueBytes(answer.value));
      else await printJson(answer.result);
      return answer.result?.isError ? EXIT_TOOL_FAILED : 0;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'UPSTREAM_FAILED') throw error;
      await writeAll(process.stderr, `${paint('red', 'error:', process.stderr)} ${upstreams.clean(error.message)}\n`);
      return EXIT_TOOL_FAILED;
    }
  });
}

async function withUpstreams(
  context: CommandContext,
  work: (upstreams: Upstreams, grants: RunGrants) => Promise<number>,
): Promise<number> {
  const app = await context.build(await context.settings(), { warm: false });
  const stop = new AbortController();
  const onSignal = () => stop.abort(new AppError('UPSTREAM_FAILED', 'Stopped'));
  process.once('SIGINT', onSignal);
  try {
    return await work(app.engine.upstreams, openGrants(stop.signal));
  } catch (error) {
    throw app.engine.upstreams.cleanError(error);
  } finally {
    process.off('SIGINT', onSignal);
    await app.close();
  }
}

/** For a person who waits; a server may take seconds to start. */
async function tellStart(server: string): Promise<void> {
  if (process.stderr.isTTY) await writeAll(process.stderr, paint('dim', `asking ${server} …\n`, process.stderr));
}

function parseArguments(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // told below
  }
  throw new AppError('INVALID_INPUT', `The arguments must be a JSON object, not ${text.slice(0, 80)}`);
}

function shortPath(path: string): string {
  return path.startsWith(`${homedir()}/`) ? `~${path.slice(homedir().length)}` : path;
}

function usage(text: string): AppError {
  return new AppError('INVALID_INPUT', 'Something is missing, or too much', { hint: `Use: ${text}` });
}

async function print(text: string): Promise<number> {
  await writeAll(process.stdout, `${text}\n`);
  return 0;
}

async function printJson(value: unknown): Promise<number> {
  return await print(JSON.stringify(value, null, 2));
}
