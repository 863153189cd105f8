/** A real MCP client on a real server process, in either protocol era. */
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CallToolResult, Client, type ClientCapabilities } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { commandAs, type TestUser } from './users.ts';

export type Era = 'legacy' | 'modern';
export const MODERN_VERSION = '2026-07-28';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
export const MAIN = join(root, 'dist', 'main.js');

export interface Connection extends AsyncDisposable {
  readonly client: Client;
  readonly transport: StdioClientTransport;
  readonly stateDir: string;
  readonly stderr: () => string;
}

export interface ConnectOptions {
  readonly era?: Era;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly stateDir?: string;
  readonly cwd?: string;
  /** The server is this user's. */
  readonly as?: TestUser;
  /** What the client can do for servers; `prepare` sets the handlers. */
  readonly capabilities?: ClientCapabilities;
  readonly prepare?: (client: Client) => void;
}

/** Starts `sallyport serve` on a state directory of its own and connects to it. */
export async function connect({
  era = 'legacy',
  flags = [],
  env = {},
  stateDir,
  cwd,
  as,
  capabilities = {},
  prepare,
}: ConnectOptions = {}): Promise<Connection> {
  const state = stateDir ?? (await mkdtemp(join(tmpdir(), 'sallyport-e2e-')));
  if (as) await chown(state, as.uid, as.gid);
  const [command = '', ...args] = [...(as ? commandAs(as) : []), process.execPath, MAIN, 'serve', '--state', state];
  const transport = new StdioClientTransport({
    command,
    args: [...args, ...flags],
    env: { PATH: process.env.PATH ?? '', HOME: as?.home ?? process.env.HOME ?? '', ...engineEnvironment(), ...env },
    stderr: 'pipe',
    ...(cwd !== undefined && { cwd }),
  });
  let stderr = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  const client = new Client(
    { name: 'sallyport-tests', version: '1.0.0' },
    { capabilities, versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: MODERN_VERSION } } },
  );
  prepare?.(client);
  await client.connect(transport);
  return {
    client,
    transport,
    stateDir: state,
    stderr: () => stderr,
    async [Symbol.asyncDispose]() {
      await client.close();
      if (stateDir === undefined) await rm(state, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    },
  };
}

/** Where the set-up of the tests has started its own Docker. */
function engineEnvironment(): Record<string, string> {
  return process.env.DOCKER_HOST === undefined ? {} : { DOCKER_HOST: process.env.DOCKER_HOST };
}

export interface RunArguments {
  readonly code: string;
  readonly language?: string;
  readonly session?: string;
  readonly timeout?: number;
  readonly args?: readonly string[];
  readonly stdin?: string;
  readonly files?: Readonly<Record<string, string>>;
}

export async function callRunCode(client: Client, input: unknown): Promise<CallToolResult> {
  return (await client.callTool({ name: 'run_code', arguments: input as Record<string, unknown> })) as CallToolResult;
}

/** The parts of an answer that a model reads. */
export interface Answer {
  readonly out: string;
  /** The second text block; empty when there is none. */
  readonly notes: string;
  readonly images: readonly string[];
  readonly failed: boolean;
}

export function answerOf(result: CallToolResult): Answer {
  const texts = result.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return {
    out: texts[0] ?? '',
    notes: texts[1] ?? '',
    images: result.content.flatMap((block) => (block.type === 'image' ? [block.mimeType] : [])),
    failed: result.isError === true,
  };
}

export interface RunMeta {
  readonly runId: string;
  readonly session: string;
  readonly backend: string;
  readonly language: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stop: string | null;
  readonly error: { code: string; message: string } | null;
  readonly durationMs: number;
  readonly peakMemoryBytes: number | null;
  readonly toolCalls: number;
  readonly tokensSaved: number;
}

export function metaOf(result: CallToolResult): RunMeta {
  return result._meta?.['sallyport/run'] as RunMeta;
}
