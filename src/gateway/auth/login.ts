/**
 * A login by a person: OAuth 2.1 with PKCE, on the SDK's feet.
 *
 * The person's browser comes back to a page on this machine. Where the browser is on another machine, the person carries
 * the address of that page over by hand, or types a code at the server's own page where it has one (RFC 8628).
 */
import {
  auth,
  computeScopeUnion,
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
  OAuthError,
} from '@modelcontextprotocol/client';
import type { ServerEntry } from '#clients/entry';
import { AppError, messageOf } from '#contracts/errors';
import { boundedFetch } from '../transports/bounded-fetch.ts';
import { type CredentialFile, withTokens } from './credentials.ts';
import { type DeviceCode, logInByDevice } from './device.ts';
import { LoginProvider } from './login-provider.ts';
import { openLoopback } from './loopback.ts';

export interface LoginWish {
  readonly entry: ServerEntry;
  readonly credentials: CredentialFile;
  readonly clientMetadataUrl: string | undefined;
  /** Asked for besides what the entry and the server say. */
  readonly scope: string | undefined;
  /** The browser is on another machine. */
  readonly isHeadless: boolean;
  readonly signal: AbortSignal;
  /** Shows the person where to go. May give the address that the browser ended at, where the person brings it. */
  readonly showPage: (page: URL) => Promise<string | undefined>;
  readonly showCode: (code: DeviceCode) => void;
}

export type LoginEnd = { readonly kind: 'done'; readonly scope: string | undefined } | { readonly kind: 'not-needed' };

export async function logIn(wish: LoginWish): Promise<LoginEnd> {
  const { entry, credentials, signal } = wish;
  try {
    const challenge = await challengeOf(new URL(entry.url ?? ''), entry, signal);
    if (!challenge) return { kind: 'not-needed' };
    const done = await logInFor(wish, challenge);
    await using _lock = await credentials.lock();
    await credentials.write(done.credentials);
    return { kind: 'done', scope: done.credentials.tokens?.scope };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError) throw error;
    const words = error instanceof OAuthError ? `${error.code}: ${error.message}` : messageOf(error);
    throw new AppError('AUTH_REQUIRED', `The login at "${entry.name}" failed: ${words}`, { cause: error });
  }
}

interface Challenge {
  readonly resourceMetadataUrl?: URL;
  readonly scope?: string;
}

async function logInFor(wish: LoginWish, { resourceMetadataUrl, scope: challenged }: Challenge) {
  const { entry, credentials, signal } = wish;
  const known = await credentials.read();
  const knownPort = known.redirectUrl === undefined ? 0 : Number(new URL(known.redirectUrl).port);
  await using loopback = await openLoopback(entry.oauth?.callbackPort ?? knownPort);
  const provider = new LoginProvider({
    entry,
    known,
    redirectUrl: loopback.url,
    clientMetadataUrl: wish.clientMetadataUrl,
  });
  const scope = computeScopeUnion(challenged, entry.oauth?.scopes.join(' ') || undefined, wish.scope);
  const options = {
    serverUrl: entry.url ?? '',
    ...(resourceMetadataUrl && { resourceMetadataUrl }),
    ...(scope && { scope }),
    fetchFn: boundedFetch,
  };
  await auth(provider, { ...options, forceReauthorization: true });
  if (wish.isHeadless) {
    const asked = provider.page?.searchParams.get('scope') ?? undefined; // what the server offers, where nobody wishes for more
    const tokens = await logInByDevice(provider.credentials, { scope: asked, signal, show: wish.showCode });
    if (tokens) return { credentials: withTokens(provider.credentials, tokens) };
  }
  const answer = await answerOf(wish, provider, loopback.answer);
  await auth(provider, { ...options, authorizationCode: answer.code, ...(answer.iss !== null && { iss: answer.iss }) });
  return { credentials: provider.credentials };
}

async function answerOf(wish: LoginWish, provider: LoginProvider, came: Promise<URLSearchParams>) {
  const page = provider.page;
  if (!page) throw new AppError('INTERNAL', 'The login has no page to go to');
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  wish.signal.addEventListener('abort', () => reject(wish.signal.reason), { once: true });
  const brought = wish.showPage(page).then((address) => (address === undefined ? came : paramsOf(address)));
  const params = await Promise.race([came, brought, stopped]);
  if (params.get('state') !== provider.state()) {
    throw new AppError('AUTH_REQUIRED', 'The answer is to another login than this one', { hint: 'Try again' });
  }
  const code = params.get('code');
  if (code === null) {
    const reason = params.get('error_description') ?? params.get('error') ?? 'no reason given';
    throw new AppError('AUTH_REQUIRED', `"${wish.entry.name}" refused the login: ${reason}`);
  }
  return { code, iss: params.get('iss') };
}

function paramsOf(address: string): URLSearchParams {
  if (URL.canParse(address.trim())) return new URL(address.trim()).searchParams;
  throw new AppError('INVALID_INPUT', 'That is not the address of a page', {
    hint: 'Copy the whole address from the browser, from http:// on',
  });
}

/** What the server says to somebody without a login; undefined when it takes them, and knows of no logins. */
async function challengeOf(url: URL, { headers }: ServerEntry, signal: AbortSignal): Promise<Challenge | undefined> {
  for (const method of ['POST', 'GET']) {
    const response = await boundedFetch(url, {
      method,
      headers: { ...headers, accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
      signal,
      ...(method === 'POST' && { body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }) }),
    });
    await response.body?.cancel();
    if (response.status === 401 || response.status === 403) return extractWWWAuthenticateParams(response);
    if (response.status !== 404 && response.status !== 405) break; // it answers; a GET would open its stream
  }
  const { resourceMetadata } = await discoverOAuthServerInfo(url, { fetchFn: boundedFetch });
  return resourceMetadata === undefined ? undefined : {};
}
