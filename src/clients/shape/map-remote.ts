/** Where to connect: the words of all clients for a URL, its transport, headers and OAuth. */
import type { ConfigShape, Fields } from '../client.ts';
import type { OAuthSettings, Transport } from '../entry.ts';
import { EntryError, isFields, positiveAt, textAt, textMapAt, textsAt } from './fields.ts';

const TRANSPORTS: Readonly<Record<string, Transport | 'remote'>> = {
  stdio: 'stdio',
  local: 'stdio',
  http: 'http',
  https: 'http',
  streamable: 'http',
  streamablehttp: 'http',
  httpstream: 'http',
  sse: 'sse',
  remote: 'remote',
};

/** The transport that an entry names; `remote` leaves open which of the two. */
export function namedTransport(entry: Fields): Transport | 'remote' | undefined {
  const word = textAt(entry, ['type', 'transport', 'transportType']);
  if (word === undefined) return undefined;
  const transport = TRANSPORTS[word.toLowerCase().replace(/[-_ ]/g, '')];
  if (transport === undefined)
    throw new EntryError(`Transport "${word}" is not known; stdio, http and sse are`, ['type']);
  return transport;
}

export interface Remote {
  readonly url: string;
  readonly transport: Transport;
  readonly isTransportGuessed: boolean;
}

/** Undefined when the entry names no URL. */
export function mapRemote(entry: Fields, shape: ConfigShape): Remote | undefined {
  const streamable = textAt(entry, ['httpUrl', 'httpURL']);
  const url = streamable ?? textAt(entry, ['url', 'serverUrl', 'server_url', 'uri', 'baseUrl', 'base_url']);
  if (url === undefined) return undefined;
  const named = namedTransport(entry);
  if (named === 'http' || named === 'sse') return { url, transport: named, isTransportGuessed: false };
  if (streamable !== undefined) return { url, transport: 'http', isTransportGuessed: false };
  const looksLikeEvents = /\/sse\/?(?:[?#]|$)/.test(url);
  return { url, transport: looksLikeEvents ? 'sse' : (shape.bareUrl ?? 'http'), isTransportGuessed: true };
}

export function mapHeaders(entry: Fields): Record<string, string> {
  const options = entry.requestOptions;
  const headers = {
    ...(isFields(options) ? textMapAt(options, ['headers']) : undefined),
    ...textMapAt(entry, ['headers', 'http_headers', 'httpHeaders']),
  };
  for (const [name, variable] of Object.entries(textMapAt(entry, ['env_http_headers']) ?? {})) {
    headers[name] = `\${env:${variable}}`;
  }
  const bearer = bearerToken(entry);
  const hasOwn = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  return bearer === undefined || hasOwn ? headers : { ...headers, Authorization: `Bearer ${bearer}` };
}

function bearerToken(entry: Fields): string | undefined {
  const variable = textAt(entry, ['bearer_token_env_var', 'bearerTokenEnvVar', 'bearer_token_env', 'bearerTokenEnv']);
  return variable === undefined ? textAt(entry, ['bearer_token', 'bearerToken']) : `\${env:${variable}}`;
}

/** A client that was registered by hand. Who leaves it out, or only switches OAuth on, registers one on the way. */
export function mapOAuth(entry: Fields): OAuthSettings | undefined {
  const block = [entry.oauth, entry.auth].find(isFields) ?? {};
  const clientId =
    textAt(block, ['clientId', 'client_id', 'CLIENT_ID']) ?? textAt(entry, ['oauthClientId', 'oauth_client_id']);
  const clientSecret =
    textAt(block, ['clientSecret', 'client_secret', 'CLIENT_SECRET']) ??
    textAt(entry, ['oauthClientSecret', 'oauth_client_secret']);
  const scopes = scopesOf(block, ['scopes', 'scope']) ?? scopesOf(entry, ['oauthScopes', 'scopes']) ?? [];
  const callbackPort = positiveAt(block, ['callbackPort', 'callback_port']);
  if (clientId === undefined && clientSecret === undefined && scopes.length === 0 && callbackPort === undefined) {
    return undefined;
  }
  return {
    ...(clientId === undefined ? {} : { clientId }),
    ...(clientSecret === undefined ? {} : { clientSecret }),
    scopes,
    ...(callbackPort === undefined ? {} : { callbackPort }),
  };
}

function scopesOf(fields: Fields, keys: readonly string[]): string[] | undefined {
  const key = keys.find((name) => typeof fields[name] === 'string' || Array.isArray(fields[name]));
  if (key === undefined) return undefined;
  const value = fields[key];
  return typeof value === 'string' ? value.split(/[\s,]+/).filter((scope) => scope !== '') : textsAt(fields, [key]);
}
