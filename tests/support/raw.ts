/** One exchange in bare JSON lines, to see the bytes that a client library would parse away. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Era, MAIN, MODERN_VERSION } from './client.ts';

export interface RawServer extends AsyncDisposable {
  readonly pid: number;
  write(text: string): void;
  /** The next JSON line. */
  read(): Promise<{
    id?: number;
    result?: unknown;
    error?: { code: number; message: string };
    method?: string;
    params?: unknown;
  }>;
  endInput(): void;
  readonly exited: Promise<number | null>;
}

export async function startRaw(flags: readonly string[] = []): Promise<RawServer> {
  const state = await mkdtemp(join(tmpdir(), 'sallyport-raw-'));
  const child = spawn(process.execPath, [MAIN, 'serve', '--state', state, ...flags], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return {
    pid: child.pid ?? 0,
    write: (text) => void child.stdin.write(text),
    read: async () => JSON.parse((await lines.next()).value as string),
    endInput: () => child.stdin.end(),
    exited,
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await exited;
      await rm(state, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    },
  };
}

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
};

export async function openRaw(server: RawServer, era: Era): Promise<void> {
  if (era === 'modern') return;
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
  server.write(`${JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params })}\n`);
  await server.read();
  server.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
}

export function requestLine(era: Era, id: number, method: string, params: Record<string, unknown>): string {
  const full =
    era === 'modern' ? { ...params, _meta: { ...ENVELOPE, ...(params._meta as object | undefined) } } : params;
  return `${JSON.stringify({ jsonrpc: '2.0', id, method, params: full })}\n`;
}

export async function rawExchange(era: Era, method: string, params: Record<string, unknown>): Promise<unknown> {
  await using server = await startRaw();
  await openRaw(server, era);
  server.write(requestLine(era, 1, method, params));
  return (await server.read()).result;
}
