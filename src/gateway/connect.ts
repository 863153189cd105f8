/**
 * From an entry of the configuration to a connection that has shaken hands.
 *
 * Servers of two eras look alike from outside, so a new one is asked (`auto`) on the connection itself. Some die of the
 * question: those are started again and spoken to as of old. A server behind a URL may speak either of two transports:
 * when the one that the entry names is refused, the other is tried. What worked is remembered (`verdicts.ts`).
 */
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type AuthProvider,
  Client,
  type Implementation,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
} from '@modelcontextprotocol/client';
import type { ServerEntry, Transport as TransportKind } from '#clients/entry';
import { BOUNDS } from '#contracts/limits';
import type { Logger } from '#observability/logger';
import { type AskPlace, answerAsks, capabilitiesFor, type OpenPages, type Root, type UpstreamAsks } from './asks.ts';
import { CredentialFile } from './auth/credentials.ts';
import { RunAuth } from './auth/run-auth.ts';
import type { Connection } from './connection.ts';
import { type Environment, upstreamEnvironment } from './environment.ts';
import { startFailure } from './failures.ts';
import { SdkConnection } from './sdk-connection.ts';
import { HttpTransport, SseTransport } from './transports/http.ts';
import { StdioTransport } from './transports/stdio.ts';
import type { Tail } from './transports/tail.ts';
import { untilAborted } from './until-aborted.ts';
import type { Verdict, Verdicts } from './verdicts.ts';

export interface ConnectParts {
  readonly env: Environment;
  readonly verdicts: Verdicts;
  /** Asked at each start: what callers can do may change. */
  readonly asks: () => UpstreamAsks;
  readonly stateDir: string;
  /** Told of everything secret that turns up. */
  readonly onSecret: (name: string, value: string) => void;
  readonly clientInfo: Implementation;
  readonly logger: Logger;
}

export interface ConnectRequest {
  readonly entry: ServerEntry;
  readonly fingerprint: string;
  readonly startMs: number;
  /** Ends the attempt; its reason becomes the failure's. */
  readonly signal: AbortSignal;
  readonly stderr: Tail;
  readonly place: AskPlace;
  readonly onToolsChanged: () => void;
  /** The link is gone, by whoever's hand. */
  readonly onGone: () => void;
}

type AnyTransport = StdioTransport | HttpTransport | SseTransport;

/** The part of the start time after which a process that does not answer is spoken to as of old. */
const PROBE_SHARE = 1 / 3;

/** Rejects with an AppError that says what the server did instead of answering. */
export async function connectUpstream(request: ConnectRequest, parts: ConnectParts): Promise<Connection> {
  const { entry, fingerprint, signal } = request;
  const known = await parts.verdicts.get(fingerprint);
  let failure: unknown;
  for (const attempt of attemptsFor(entry, known)) {
    const opened = openTransport(attempt.transport, request, parts);
    try {
      const { client, openPages } = await shakeHands(opened, attempt, request, parts);
      const era = client.getProtocolEra() ?? 'legacy';
      void parts.verdicts.set(fingerprint, { era, transport: attempt.transport });
      return new SdkConnection(entry.name, client, openPages);
    } catch (error) {
      failure = startFailure(error, {
        entry,
        ending: opened instanceof StdioTransport ? opened.ending : undefined,
        stderr: request.stderr,
      });
      parts.logger.debug('An attempt to connect failed', { server: entry.name, ...attempt, cause: error });
      if (signal.aborted || !isWorthAnother(attempt, error, opened)) break;
    }
  }
  if (known) void parts.verdicts.forget(fingerprint);
  throw failure;
}

interface Attempt {
  readonly transport: TransportKind;
  readonly mode: 'auto' | 'legacy';
}

function attemptsFor(entry: ServerEntry, known: Verdict | undefined): readonly Attempt[] {
  const mode = known?.era === 'legacy' ? 'legacy' : 'auto';
  if (entry.transport === 'stdio') {
    const first: Attempt = { transport: 'stdio', mode };
    return mode === 'auto' ? [first, { transport: 'stdio', mode: 'legacy' }] : [first];
  }
  const first = known?.transport ?? entry.transport;
  return (first === 'sse' ? (['sse', 'http'] as const) : (['http', 'sse'] as const)).map((transport) => ({
    transport,
    mode: transport === 'sse' ? 'legacy' : transport === known?.transport ? mode : 'auto',
  }));
}

/** A process that answered or never came up would do the same again; a URL that refuses one transport may take the other. */
function isWorthAnother({ transport, mode }: Attempt, error: unknown, opened: AnyTransport): boolean {
  if (transport === 'stdio') return mode === 'auto' && opened instanceof StdioTransport && opened.pid !== undefined;
  if (error instanceof SdkHttpError) return isRefusal(error.status);
  if (error instanceof SseError) return error.code !== undefined && isRefusal(error.code);
  return error instanceof SdkError && error.code === SdkErrorCode.ClientHttpUnexpectedContent;
}

/** The server does not know what was sent there; it does not ask who we are. */
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 401 && status !== 403;
}

function openTransport(kind: TransportKind, { entry, stderr }: ConnectRequest, parts: ConnectParts): AnyTransport {
  if (kind === 'stdio') {
    const { command = '', args, cwd } = entry;
    return new StdioTransport(
      { command, args, cwd, env: upstreamEnvironment(parts.env, entry.env, { platform: process.platform, command }) },
      stderr,
    );
  }
  const plan = { url: new URL(entry.url ?? ''), headers: entry.headers, authProvider: loginOf(entry, parts) };
  return kind === 'http' ? new HttpTransport(plan) : new SseTransport(plan);
}

/** An entry that says itself who is calling needs no login. */
function loginOf(entry: ServerEntry, { stateDir, onSecret }: ConnectParts): AuthProvider | undefined {
  if (Object.keys(entry.headers).some((name) => name.toLowerCase() === 'authorization')) return undefined;
  return new RunAuth({ server: entry.name, credentials: new CredentialFile(stateDir, entry), onSecret });
}

async function shakeHands(
  transport: AnyTransport,
  { transport: kind, mode }: Attempt,
  { entry, startMs, signal, place, onGone, onToolsChanged }: ConnectRequest,
  parts: ConnectParts,
): Promise<{ readonly client: Client; readonly openPages: OpenPages | undefined }> {
  const asks = parts.asks();
  const roots = rootsOf(entry);
  // The attempt ends by the signal; the SDK's own clock must not be first.
  const timeout = startMs * 2;
  const probe = { timeoutMs: kind === 'stdio' ? startMs * PROBE_SHARE : timeout };
  const client = new Client(parts.clientInfo, {
    capabilities: capabilitiesFor(asks, roots),
    versionNegotiation: mode === 'legacy' ? { mode } : { mode, probe },
    listMaxPages: BOUNDS.listPagesMax,
    // Results are passed on as they are; whether they keep what their server promised is for the program to see.
    jsonSchemaValidator: {
      getValidator: () => (value) => ({ valid: true, data: value as never, errorMessage: undefined }),
    },
  });
  const openPages = answerAsks(client, asks, roots, place);
  client.setNotificationHandler('notifications/tools/list_changed', onToolsChanged);
  try {
    await untilAborted(client.connect(transport, { timeout, signal }), signal);
  } catch (error) {
    await transport.close();
    throw error;
  }
  client.onclose = onGone;
  // The event source would connect anew by itself, to a server that knows nothing of our handshake.
  if (kind === 'sse') client.onerror = (error) => void (error instanceof SseError && client.close());
  listenForChanges(client);
  return { client, openPages };
}

function rootsOf({ roots = [] }: ServerEntry): Root[] {
  return roots.map((folder) => ({ uri: pathToFileURL(folder).href, name: basename(folder) }));
}

/** The newer protocol tells of changes only to those who ask. */
function listenForChanges(client: Client): void {
  if (client.getProtocolEra() !== 'modern' || !client.getServerCapabilities()?.tools?.listChanged) return;
  client.listen({ toolsListChanged: true }).catch(() => {
    // Its list is then as old as its start.
  });
}
