/** `mcp` as a command: its words in, bytes for standard output back. The same for every shell, behind every wall. */
import { readWord } from '#bindings/arguments';
import { AppError } from '#contracts/errors';
import type { ToolInfo, ToolValue } from '#contracts/tool';
import { type CallPlace, callTool } from './call-tool.ts';
import { findTool, listServers } from './find-tools.ts';
import { describeTools, searchTools } from './search-tools.ts';
import type { Upstreams } from './upstreams.ts';

const USAGE =
  'mcp call SERVER TOOL [KEY=TEXT | KEY:=JSON | JSON]… [--raw] [--timeout S] | mcp search WORDS… [--limit N] [--server S] | mcp servers | mcp docs NAME | mcp help | mcp session list|reset|close [NAME]';

interface Words {
  readonly plain: readonly string[];
  readonly flags: ReadonlyMap<string, string>;
}

/** Flags that stand alone. */
const SWITCHES = new Set(['raw', 'json', 'full']);
const FLAGS = new Set(['timeout', 'limit', 'server']);

export async function runShellCommand(
  upstreams: Upstreams,
  place: CallPlace,
  words: readonly string[],
  input: string | undefined,
): Promise<Buffer> {
  const [verb, ...rest] = words;
  const { plain, flags } = readWords(rest);
  switch (verb) {
    case 'call':
      return await callFromShell(upstreams, place, plain, flags, input);
    case 'search': {
      const wish = {
        query: plain.join(' '),
        limit: numberOf(flags, 'limit'),
        server: flags.get('server'),
        detail: flags.has('full') ? ('full' as const) : ('summary' as const),
        style: 'shell' as const,
      };
      const { hits, text } = await searchTools(upstreams, place.grants, wish);
      return flags.has('json') ? jsonBytes(hits) : line(text);
    }
    case 'servers': {
      const servers = await listServers(upstreams, place.grants);
      if (flags.has('json')) return jsonBytes(servers);
      return line(
        servers.map(({ name, description }) => `${name}${description === '' ? '' : `\t${description}`}`).join('\n'),
      );
    }
    case 'docs':
      if (plain[0] === undefined) throw new AppError('INVALID_INPUT', `usage: ${USAGE}`);
      return line(await describeTools(upstreams, place.grants, plain.join('.'), 'shell'));
    default:
      throw new AppError('INVALID_INPUT', `usage: ${USAGE}`);
  }
}

async function callFromShell(
  upstreams: Upstreams,
  place: CallPlace,
  [server, tool, ...given]: readonly string[],
  flags: ReadonlyMap<string, string>,
  input: string | undefined,
): Promise<Buffer> {
  if (server === undefined || tool === undefined) throw new AppError('INVALID_INPUT', `usage: ${USAGE}`);
  const info = await findTool(upstreams, place.grants, server, tool, 'shell').catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'TOOL_UNKNOWN') return undefined; // a helper of the server, perhaps
    throw error;
  });
  const seconds = numberOf(flags, 'timeout');
  const answer = await callTool(upstreams, place, {
    server,
    tool,
    named: namedArguments(info, input === undefined ? given : [...given, input]),
    positional: [],
    timeoutMs: seconds === undefined ? undefined : seconds * 1000,
    token: undefined,
    isRaw: flags.has('raw'),
    style: 'shell',
  });
  return answer.result === undefined ? valueBytes(answer.value) : jsonBytes(answer.result);
}

function namedArguments(tool: ToolInfo | undefined, words: readonly string[]): Record<string, unknown> {
  const named: Record<string, unknown> = {};
  for (const word of words) {
    const pair = /^([^\s=:{["]+)(:?=)(.*)$/s.exec(word);
    if (!pair) Object.assign(named, parseObject(word));
    else {
      const [, key = '', sign, text = ''] = pair;
      named[key] = sign === ':=' ? parseJson(text, key) : tool ? readWord(tool.inputSchema, key, text) : text;
    }
  }
  return named;
}

function parseObject(text: string): object {
  const value = parseJson(text, 'the arguments');
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new AppError('INVALID_INPUT', `Arguments are KEY=TEXT, KEY:=JSON or one JSON object, not ${text.slice(0, 80)}`);
}

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError('INVALID_INPUT', `${what} must be JSON, not ${text.slice(0, 80)}`, { cause });
  }
}

function readWords(words: readonly string[]): Words {
  const plain: string[] = [];
  const flags = new Map<string, string>();
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as string;
    const flag = /^--([a-z]+)$/.exec(word)?.[1];
    if (flag !== undefined && SWITCHES.has(flag)) flags.set(flag, '');
    else if (flag !== undefined && FLAGS.has(flag)) flags.set(flag, words[++at] ?? '');
    else plain.push(word);
  }
  return { plain, flags };
}

function numberOf(flags: ReadonlyMap<string, string>, name: string): number | undefined {
  const text = flags.get(name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (value > 0) return value;
  throw new AppError('INVALID_INPUT', `--${name} takes a number above zero, not "${text}"`);
}

/** Text as it is, pictures as their bytes, everything else as JSON. */
export function valueBytes(value: ToolValue): Buffer {
  switch (value.kind) {
    case 'none':
      return Buffer.alloc(0);
    case 'text':
      return line(value.text);
    case 'binary':
      return Buffer.from(value.base64, 'base64');
    case 'json':
      return value.text === undefined ? jsonBytes(value.value) : line(value.text);
    case 'link':
      return jsonBytes(value.link);
    case 'list':
      return Buffer.concat(value.items.map((item) => (item.kind === 'binary' ? jsonBytes(item) : valueBytes(item))));
    default:
      return value satisfies never;
  }
}

function jsonBytes(value: unknown): Buffer {
  return line(JSON.stringify(value, null, 2));
}

function line(text: string): Buffer {
  return Buffer.from(text === '' || text.endsWith('\n') ? text : `${text}\n`);
}
