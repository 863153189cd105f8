/** `mcp` as a command: its words in, what it prints and its exit code back. The same for every shell, behind every wall. */
import { readWord } from '#bindings/arguments';
import { AppError } from '#contracts/errors';
import type { ToolInfo, ToolValue } from '#contracts/tool';
import type { CommandAnswer } from '#sessions/hatch-calls';
import type { CallPlace } from './call-gate.ts';
import { callTool } from './call-tool.ts';
import { findTool, listServers } from './find-tools.ts';
import { describeTools, searchTools } from './search-tools.ts';
import type { Upstreams } from './upstreams.ts';

const USAGE =
  'mcp call SERVER TOOL [KEY=TEXT | KEY:=JSON | KEY@=- | JSON | -]… [--json] [--raw] [--timeout S] | search WORDS… [--limit N] [--server S] [--full] [--json] | servers [--json] | docs NAME | help | session list|reset|close [NAME]';

/** As shells have them: not found, not allowed, out of time; the rest of what may happen is 1. */
const EXITS: Readonly<Record<string, number>> = {
  UPSTREAM_UNKNOWN: 127,
  TOOL_UNKNOWN: 127,
  POLICY_DENIED: 126,
  UPSTREAM_TIMEOUT: 124,
};
const USAGE_EXIT = 2;

interface Words {
  readonly plain: readonly string[];
  readonly flags: ReadonlyMap<string, string>;
}

/** Flags that stand alone, and flags with a value. */
const SWITCHES = new Set(['raw', 'json', 'full']);
const FLAGS = new Set(['timeout', 'limit', 'server']);

/** Asks the hatch for something else than tools. */
type Ask = (method: string, params: unknown) => Promise<unknown>;

class UsageError extends Error {}

/** Never throws what a program may have caused. `stdin` is there when the words ask for it, or it is a pipe. */
export async function runShellCommand(
  upstreams: Upstreams,
  place: CallPlace,
  words: readonly string[],
  stdin: string | undefined,
  ask: Ask,
): Promise<CommandAnswer> {
  try {
    return { exit: 0, out: await outputOf(upstreams, place, words, stdin, ask), err: '' };
  } catch (error) {
    if (error instanceof UsageError) return { exit: USAGE_EXIT, out: Buffer.alloc(0), err: `usage: ${USAGE}\n` };
    const { code, message, hint } = upstreams.cleanError(error);
    const err = `mcp: ${message}${hint === undefined ? '' : `. ${hint}`}\n`;
    return { exit: EXITS[code] ?? 1, out: Buffer.alloc(0), err };
  }
}

async function outputOf(
  upstreams: Upstreams,
  place: CallPlace,
  [verb, ...rest]: readonly string[],
  stdin: string | undefined,
  ask: Ask,
): Promise<Buffer> {
  const { plain, flags } = readWords(rest);
  switch (verb) {
    case 'call':
      return await callFromShell(upstreams, place, plain, flags, stdin);
    case 'search': {
      if (plain.length === 0) throw new UsageError();
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
      if (plain[0] === undefined) throw new UsageError();
      return line(await describeTools(upstreams, place.grants, plain.join('.'), 'shell'));
    case 'help':
      return printedBytes(await ask('help', {}));
    case 'session':
      return await sessionFromShell(plain, ask);
    default:
      throw new UsageError();
  }
}

async function sessionFromShell([verb, name, ...more]: readonly string[], ask: Ask): Promise<Buffer> {
  const isAlone = name === undefined && (verb === 'list' || verb === 'reset');
  if (more.length > 0 || !(isAlone || verb === 'close')) throw new UsageError();
  return printedBytes(await ask(`session.${verb}`, name === undefined ? { own: true } : { name, own: true }));
}

/** Text as text, everything else as JSON. */
function printedBytes(value: unknown): Buffer {
  return typeof value === 'string' ? line(value) : jsonBytes(value);
}

async function callFromShell(
  upstreams: Upstreams,
  place: CallPlace,
  [server, tool, ...given]: readonly string[],
  flags: ReadonlyMap<string, string>,
  stdin: string | undefined,
): Promise<Buffer> {
  if (server === undefined || tool === undefined) throw new UsageError();
  const info = await findTool(upstreams, place.grants, server, tool, 'shell').catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'TOOL_UNKNOWN') return undefined; // a helper of the server, perhaps
    throw error;
  });
  const seconds = numberOf(flags, 'timeout');
  const answer = await callTool(upstreams, place, {
    server,
    tool,
    named: namedArguments(info, given, stdin),
    positional: [],
    timeoutMs: seconds === undefined ? undefined : seconds * 1000,
    token: undefined,
    isRaw: flags.has('raw'),
    style: 'shell',
  });
  if (answer.result !== undefined) return jsonBytes(answer.result);
  return flags.has('json') ? jsonBytes(plainValue(answer.value)) : valueBytes(answer.value);
}

/** `KEY=TEXT` by the schema, `KEY:=JSON` as it says, `KEY@=-` from standard input, a JSON object as it is. */
function namedArguments(
  tool: ToolInfo | undefined,
  words: readonly string[],
  stdin: string | undefined,
): Record<string, unknown> {
  const named: Record<string, unknown> = {};
  const read = (key: string, text: string) => (tool ? readWord(tool.inputSchema, key, text) : text);
  for (const word of words) {
    const [, key = '', sign, text = ''] = /^([^\s=:{["]+?)([:@]?=)(.*)$/s.exec(word) ?? [];
    if (word === '-') Object.assign(named, parseObject(stdin ?? '', 'Standard input'));
    else if (sign === undefined) Object.assign(named, parseObject(word, 'The arguments'));
    else if (sign === '@=' && text === '-') named[key] = read(key, stdin ?? '');
    else if (sign === '@=') named[`${key}@`] = text;
    else named[key] = sign === ':=' ? parseJson(text, key) : read(key, text);
  }
  // A pipe into a call without arguments.
  if (words.length === 0 && stdin !== undefined && stdin.trim() !== '')
    Object.assign(named, parseObject(stdin, 'Standard input'));
  return named;
}

function parseObject(text: string, what: string): object {
  const value = parseJson(text, what);
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

/** What `--json` prints: one JSON text, whatever the value is. */
function plainValue(value: ToolValue): unknown {
  switch (value.kind) {
    case 'none':
      return null;
    case 'text':
      return value.text;
    case 'json':
      return value.value;
    case 'link':
      return value.link;
    case 'list':
      return value.items.map(plainValue);
    case 'binary':
      return value;
    default:
      return value satisfies never;
  }
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
