/** MCP servers over HTTP, each on a port of its own until it is disposed of. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler, McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { z } from 'zod';

export interface HttpUpstream extends AsyncDisposable {
  readonly url: string;
  /** The headers of every request so far. */
  readonly seen: ReadonlyArray<{ readonly method: string; readonly headers: IncomingMessage['headers'] }>;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

export async function serveHttp(path: string, answer: Answer, port = 0): Promise<HttpUpstream> {
  const seen: Array<HttpUpstream['seen'][number]> = [];
  const server = createServer((request, response) => {
    seen.push({ method: request.method ?? '', headers: request.headers });
    Promise.resolve(answer(request, response)).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function createTools(): McpServer {
  const server = new McpServer({ name: 'http', version: '1.0.0' }, { capabilities: { tools: {} } });
  const inputSchema = z.object({ text: z.string().default('') });
  server.registerTool('echo', { description: 'Gives back its text', inputSchema }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
  server.registerTool(
    'big',
    { description: 'Many letters', inputSchema: z.object({ bytes: z.number() }) },
    ({ bytes }) => ({
      content: [{ type: 'text', text: 'x'.repeat(bytes) }],
    }),
  );
  server.registerTool('hang', { description: 'Never answers', inputSchema: z.object({}) }, () => new Promise(() => {}));
  return server;
}

/** Speaks 2026 only. */
export function serveModern(): Promise<HttpUpstream> {
  const handler = createMcpHandler(createTools, { legacy: 'reject' });
  return serveHttp('/mcp', (request, response) => answerWith(handler.fetch, request, response));
}

export interface SessionUpstream extends HttpUpstream {
  /** As after a restart: nobody is known any more. */
  forgetSessions(): void;
}

/** Speaks 2025, with sessions. */
export async function serveWithSessions(): Promise<SessionUpstream> {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const fetchFrom = async (request: Request) => {
    const known = request.headers.get('mcp-session-id');
    if (known !== null) {
      return (
        sessions.get(known)?.handleRequest(request) ?? Response.json({ error: 'no such session' }, { status: 404 })
      );
    }
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await createTools().connect(transport);
    return await transport.handleRequest(request);
  };
  const server = await serveHttp('/mcp', (request, response) => answerWith(fetchFrom, request, response));
  return Object.assign(server, { forgetSessions: () => sessions.clear() });
}

/** Speaks as of 2024: events on one connection, messages on others. */
export function serveSse(): Promise<HttpUpstream> {
  const streams = new Map<string, ServerResponse>();
  return serveHttp('/sse', async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (request.method === 'GET' && url.pathname === '/sse') {
      const id = randomUUID();
      streams.set(id, response);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`event: endpoint\ndata: /messages?id=${id}\n\n`);
      return;
    }
    const stream = streams.get(url.searchParams.get('id') ?? '');
    if (url.pathname !== '/messages' || !stream) {
      response.writeHead(405).end();
      return;
    }
    const message = JSON.parse((await bodyOf(request)).toString('utf8'));
    response.writeHead(202).end();
    const result = answerByHand(message);
    if (result !== undefined)
      stream.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: message.id, result })}\n\n`);
  });
}

/** Shakes hands and lists, and breaks the connection in the middle of every answer to a call. */
export function serveBroken(): Promise<HttpUpstream> {
  return serveHttp('/mcp', async (request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    const message = JSON.parse((await bodyOf(request)).toString('utf8'));
    if (message.method === 'tools/call') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': working on it\n\n');
      setTimeout(() => response.destroy(), 50);
      return;
    }
    const result = answerByHand(message);
    if (message.id === undefined) response.writeHead(202).end();
    else if (result === undefined) respond(response, { error: { code: -32601, message: 'no' }, id: message.id });
    else respond(response, { result, id: message.id });
  });
}

function respond(response: ServerResponse, answer: object): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', ...answer }));
}

function answerByHand({
  method,
  params,
}: {
  method: string;
  params?: { protocolVersion?: string; arguments?: unknown };
}) {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'by hand', version: '1' },
      };
    case 'tools/list':
      return { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] };
    case 'tools/call':
      return { content: [{ type: 'text', text: JSON.stringify(params?.arguments) }] };
    default:
      return undefined;
  }
}

export async function answerWith(
  fetchFrom: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  outgoing.on('close', () => gone.abort());
  const body = incoming.method === 'POST' ? await bodyOf(incoming) : undefined;
  const response = await fetchFrom(
    new Request(`http://${incoming.headers.host}${incoming.url}`, {
      method: incoming.method ?? 'GET',
      headers: new Headers(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
      signal: gone.signal,
      ...(body && { body: new Uint8Array(body) }),
    }),
  );
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.flushHeaders();
  for await (const chunk of response.body ?? []) outgoing.write(chunk);
  outgoing.end();
}

export async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
