/** Servers under measurement, each with a real MCP client on it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CallToolResult, Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { readEnvironment } from '#config/env';

const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));
export const ECHO = fileURLToPath(new URL('./echo-server.js', import.meta.url));

export interface BenchServer extends AsyncDisposable {
  readonly client: Client;
  readonly pid: number;
}

/** The smallest server that the SDK allows, with one tool that gives back its text. */
export function openEcho(): Promise<BenchServer> {
  return open([ECHO], async () => {});
}

/** On a state directory of its own, unless one is given. */
export async function openSallyport(flags: readonly string[], stateDir?: string): Promise<BenchServer> {
  const state = stateDir ?? (await mkdtemp(join(tmpdir(), 'sallyport-bench-')));
  const cleanUp = async () => {
    if (stateDir === undefined) await rm(state, { recursive: true, force: true });
  };
  return open([MAIN, 'serve', '--state', state, ...flags], cleanUp);
}

async function open(args: readonly string[], cleanUp: () => Promise<void>): Promise<BenchServer> {
  const host = readEnvironment();
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...args],
    stderr: 'inherit',
    env: {
      PATH: host.PATH ?? '',
      HOME: host.HOME ?? '',
      ...(host.DOCKER_HOST === undefined ? {} : { DOCKER_HOST: host.DOCKER_HOST }),
    },
  });
  const client = new Client({ name: 'sallyport-bench', version: '1.0.0' }, { versionNegotiation: { mode: 'legacy' } });
  await client.connect(transport);
  return {
    client,
    pid: transport.pid ?? 0,
    async [Symbol.asyncDispose]() {
      await client.close();
      await cleanUp();
    },
  };
}

/** Start of the process to its first tools/list. */
export async function startAndList(open: () => Promise<BenchServer>): Promise<void> {
  await using server = await open();
  await server.client.listTools();
}

export async function callTool(server: BenchServer, name: string, input: Record<string, unknown>): Promise<string> {
  const result = (await server.client.callTool({ name, arguments: input })) as CallToolResult;
  const [block] = result.content;
  return block?.type === 'text' ? block.text : '';
}

/** A run that must print exactly this; anything else makes the figures worthless. */
export async function mustPrint(server: BenchServer, input: Record<string, unknown>, expected: string): Promise<void> {
  const text = await callTool(server, 'run_code', input);
  if (text !== expected)
    throw new Error(`Expected ${JSON.stringify(expected)} and got ${JSON.stringify(text.slice(0, 200))}`);
}
