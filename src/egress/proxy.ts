/**
 * The way out for programs: an HTTP proxy without a port, reached by a socket in each sandbox, that reaches only hosts on
 * the list.
 *
 *     request ──▶ on the list? ──▶ resolve once ──▶ public? ──▶ dial that address ──▶ first bytes fit? ──▶ pass on
 *
 * (1) The address that was looked at is the one that is dialled; a name is never resolved twice.
 * (2) Inside a tunnel, TLS must name the host that the tunnel was asked for; on port 443 there must be TLS.
 * (3) Every request ends in one record, whatever becomes of it.
 */
import { lookup } from 'node:dns/promises';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isPublicAddress } from './addresses.ts';
import { type Allowlist, canonicalHost } from './allowlist.ts';
import { readHello } from './client-hello.ts';

/** One request to leave, for the audit log. */
export interface EgressRecord {
  readonly host: string;
  readonly port: number;
  /** Undefined when nothing was dialled. */
  readonly address: string | undefined;
  readonly outcome: 'passed' | 'refused' | 'failed';
  readonly reason: string | undefined;
  readonly bytesOut: number;
  readonly bytesIn: number;
  readonly durationMs: number;
}

export interface EgressParts {
  readonly allowed: Allowlist;
  readonly onRecord: (record: EgressRecord) => void;
  /** Tests have no public address to dial. */
  readonly isReachable?: (address: string) => boolean;
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

const TLS_PORT = 443;
/** Of all sandboxes; each has a lower cap of its own. */
const CONNECTIONS_MAX = 1024;
const CONNECT_MS = 10_000;
/** Without a byte in either direction. */
const IDLE_MS = 60_000;
const LIFE_MS = 600_000;
const BYTES_MAX = 1024 ** 3;
/** In the status line, where programs print it; the hint of an answer is found by it. */
const REFUSED = 'Refused by Sallyport';

/** Not passed on: they speak to the proxy, or would let two servers disagree about where a request ends. */
const HOP_HEADERS = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** A request on its way. */
interface Passage {
  readonly host: string;
  readonly port: number;
  readonly startedAt: number;
  address: string | undefined;
  bytesOut: number;
  bytesIn: number;
}

export class EgressProxy {
  readonly #parts: EgressParts;
  readonly #server: Server;
  readonly #open = new Set<Duplex>();

  constructor(parts: EgressParts) {
    this.#parts = parts;
    this.#server = createServer({ requestTimeout: LIFE_MS, headersTimeout: CONNECT_MS, maxHeaderSize: 64 * 1024 });
    this.#server.on('request', (incoming, answer) => void this.#forward(incoming, answer));
    this.#server.on('connect', (incoming, client, head) => void this.#tunnel(incoming, client, head));
    this.#server.on('upgrade', (_incoming, client) => client.end(statusLine(501, 'Not supported by Sallyport')));
    this.#server.on('clientError', (_error, client) => client.destroy());
  }

  /** Takes a connection that came from behind the wall. */
  accept(client: Duplex): void {
    if (this.#open.size >= CONNECTIONS_MAX) {
      client.end(statusLine(503, 'Too many connections'));
      return;
    }
    this.#hold(client);
    this.#server.emit('connection', client);
  }

  close(): void {
    for (const stream of this.#open) stream.destroy();
    this.#server.close();
  }

  #hold(stream: Duplex): void {
    this.#open.add(stream);
    stream.once('close', () => this.#open.delete(stream));
    stream.on('error', () => stream.destroy());
  }

  /** A plain request: `GET http://host/path`. */
  async #forward(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const target = targetOfUrl(incoming.url ?? '');
    if (!target) {
      answer.writeHead(400, 'Not a proxy request').end('Send the whole address, as http://host/path\n');
      return;
    }
    const passage = begin(target.host, target.port);
    try {
      const address = await this.#addressFor(passage);
      await this.#exchange(passage, address, target.path, incoming, answer);
      this.#record(passage, 'passed', undefined);
    } catch (error) {
      this.#fail(passage, error, (code, reason, text) => {
        if (answer.headersSent) answer.destroy();
        else answer.writeHead(code, reason, { 'content-type': 'text/plain' }).end(`${text}\n`);
      });
    }
  }

  async #exchange(
    passage: Passage,
    address: string,
    path: string,
    incoming: IncomingMessage,
    answer: ServerResponse,
  ): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const outgoing = request({
      host: address,
      port: passage.port,
      method: incoming.method ?? 'GET',
      path,
      headers: { ...endToEnd(incoming.headersDistinct), host: hostHeader(passage) },
      setHost: false,
      agent: false,
      timeout: IDLE_MS,
    });
    outgoing.once('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, response.statusMessage, endToEnd(response.headersDistinct));
      response.on('data', (bytes: Buffer) => {
        passage.bytesIn += bytes.length;
        if (passage.bytesIn > BYTES_MAX) outgoing.destroy(new Error('the answer is too large'));
      });
      response.pipe(answer);
    });
    outgoing.once('timeout', () => outgoing.destroy(new Error('the host does not answer')));
    outgoing.once('error', reject);
    answer.once('finish', resolve);
    answer.once('close', () => {
      outgoing.destroy();
      resolve();
    });
    incoming.on('data', (bytes: Buffer) => {
      passage.bytesOut += bytes.length;
      if (passage.bytesOut > BYTES_MAX) outgoing.destroy(new Error('the request is too large'));
    });
    incoming.pipe(outgoing);
    await promise;
  }

  /** `CONNECT host:port`: a tunnel, mostly for TLS. */
  async #tunnel(incoming: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const target = targetOfAuthority(incoming.url ?? '');
    if (!target) {
      client.end(statusLine(400, 'Not a host and port'));
      return;
    }
    const passage = begin(target.host, target.port);
    try {
      const address = await this.#addressFor(passage);
      const server = await this.#dial(address, passage.port);
      client.write(statusLine(200, 'Connected', { isOpen: true }));
      await passOn(passage, client, server, head);
      this.#record(passage, 'passed', undefined);
    } catch (error) {
      this.#fail(passage, error, (code, reason, text) => {
        if (passage.bytesOut + passage.bytesIn > 0 || client.writableEnded) client.destroy();
        else client.end(statusLine(code, reason, { text }));
      });
    }
  }

  /** Throws Refusal, or what the resolver says. */
  async #addressFor(passage: Passage): Promise<string> {
    const { host, port } = passage;
    if (!this.#parts.allowed.allows(host, port)) {
      throw new Refusal(
        `${host}:${port} is not on the list of hosts; a person can add it to "network" in the config file`,
      );
    }
    const isReachable = this.#parts.isReachable ?? isPublicAddress;
    const addresses = isIP(host) === 0 ? await (this.#parts.resolve ?? resolveHost)(host) : [host];
    const address = addresses.find(isReachable);
    if (address === undefined) throw new Refusal(`${host} is not on the public internet`);
    passage.address = address;
    return address;
  }

  #dial(address: string, port: number): Promise<Socket> {
    const { promise, resolve, reject } = Promise.withResolvers<Socket>();
    const server = connect({ host: address, port, autoSelectFamily: false });
    this.#hold(server);
    const timer = setTimeout(() => server.destroy(new Error('the host does not answer')), CONNECT_MS);
    server.once('connect', () => resolve(server));
    server.once('error', reject);
    return promise.finally(() => clearTimeout(timer));
  }

  #fail(passage: Passage, error: unknown, tell: (code: number, reason: string, text: string) => void): void {
    const text = error instanceof Error ? error.message : String(error);
    if (error instanceof Refusal) tell(403, REFUSED, text);
    else tell(502, 'Host not reached', `${passage.host}:${passage.port} was not reached: ${text}`);
    this.#record(passage, error instanceof Refusal ? 'refused' : 'failed', text);
  }

  #record(passage: Passage, outcome: EgressRecord['outcome'], reason: string | undefined): void {
    const { host, port, address, bytesOut, bytesIn, startedAt } = passage;
    const durationMs = Math.round(performance.now() - startedAt);
    this.#parts.onRecord({ host, port, address, outcome, reason, bytesOut, bytesIn, durationMs });
  }
}

/** Both directions until both have ended. What the program sends first is looked at before any of it goes out. */
async function passOn(passage: Passage, client: Duplex, server: Socket, head: Buffer): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const end = (error?: Error) => {
    client.destroy();
    server.destroy();
    if (error) reject(error);
    else resolve();
  };
  const life = setTimeout(() => end(new Error('the connection has lasted too long')), LIFE_MS);
  let first: Buffer | undefined = Buffer.alloc(0);
  const count = (bytes: number) => {
    if (passage.bytesOut + passage.bytesIn + bytes > BYTES_MAX) end(new Error('too much was sent'));
  };
  const fromClient = (bytes: Buffer) => {
    count(bytes.length);
    let ready = bytes;
    if (first !== undefined) {
      first = Buffer.concat([first, bytes]);
      const verdict = judgeFirstBytes(first, passage);
      if (verdict === 'more') return;
      if (verdict !== 'fine') return end(new Refusal(verdict));
      ready = first;
      first = undefined;
    }
    passage.bytesOut += ready.length;
    if (!server.write(ready)) client.pause();
  };
  client.on('data', fromClient);
  server.on('drain', () => client.resume());
  server.on('data', (bytes: Buffer) => {
    count(bytes.length);
    passage.bytesIn += bytes.length;
    if (!client.write(bytes)) server.pause();
  });
  client.on('drain', () => server.resume());
  client.once('end', () => server.end());
  server.once('end', () => client.end());
  server.setTimeout(IDLE_MS, () => end(new Error('nothing was sent for a while')));
  server.once('error', end);
  for (const stream of [client, server]) stream.once('close', () => end());
  if (head.length > 0) fromClient(head);
  await promise.finally(() => clearTimeout(life));
}

function judgeFirstBytes(bytes: Buffer, { host, port }: Passage): 'more' | 'fine' | (string & {}) {
  const hello = readHello(bytes);
  switch (hello.kind) {
    case 'more':
      return 'more';
    case 'other':
      return port === TLS_PORT ? `only TLS may go to port ${TLS_PORT}` : 'fine';
    case 'hello': {
      if (hello.serverName === undefined) return isIP(host) === 0 ? 'the connection names no host' : 'fine';
      const named = canonicalHost(hello.serverName);
      return named === host ? 'fine' : `the tunnel is for ${host}, and the connection names another host`;
    }
    default:
      return hello satisfies never;
  }
}

async function resolveHost(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
}

function begin(host: string, port: number): Passage {
  return { host, port, startedAt: performance.now(), address: undefined, bytesOut: 0, bytesIn: 0 };
}

function targetOfUrl(text: string): { host: string; port: number; path: string } | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const host = url?.protocol === 'http:' ? canonicalHost(url.hostname) : undefined;
  return url && host ? { host, port: Number(url.port || 80), path: `${url.pathname}${url.search}` } : undefined;
}

function targetOfAuthority(text: string): { host: string; port: number } | undefined {
  const [, name = '', port = ''] = /^(\[[^\]]+\]|[^:]+):(\d{1,5})$/.exec(text) ?? [];
  const host = canonicalHost(name);
  return host !== undefined && Number(port) > 0 && Number(port) < 65_536 ? { host, port: Number(port) } : undefined;
}

function hostHeader({ host, port }: Passage): string {
  const name = isIP(host) === 6 ? `[${host}]` : host;
  return port === 80 ? name : `${name}:${port}`;
}

function endToEnd(headers: NodeJS.Dict<string[]>): Record<string, string[]> {
  const named = new Set((headers.connection ?? []).flatMap((value) => value.toLowerCase().split(/\s*,\s*/)));
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, values]) =>
      values && !HOP_HEADERS.has(name) && !named.has(name) ? [[name, values]] : [],
    ),
  );
}

function statusLine(code: number, reason: string, { isOpen = false, text = '' } = {}): string {
  const length = isOpen ? '' : `Content-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n`;
  return `HTTP/1.1 ${code} ${reason}\r\n${length}\r\n${text}`;
}
