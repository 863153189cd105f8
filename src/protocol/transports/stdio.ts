/** MCP over stdin and stdout. The connection's end is the end of its runs. */
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { DoorParts } from '../server.ts';
import { createServer } from '../server.ts';

/** One message: code, files and stdin of a call at their largest, in JSON and base64. */
const MESSAGE_BYTES_MAX = 192 * 1024 * 1024;

/** Resolves when the caller has closed the connection. */
export function serveOverStdio(parts: DoorParts): { closed: Promise<void>; close(): Promise<void> } {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const transport = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MESSAGE_BYTES_MAX });
  const handle = serveStdio(() => createServer(parts, { kind: 'own', key: 'default' }), {
    transport,
    onerror: (error) => parts.logger.warn('Protocol trouble', { cause: error }),
  });
  process.stdin.once('end', resolve);
  process.stdin.once('close', resolve);
  process.stdout.once('error', () => resolve());
  return { closed, close: () => handle.close() };
}
