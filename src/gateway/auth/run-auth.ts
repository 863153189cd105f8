/**
 * The login of one server, as calls use it: the token that is there, renewed when it is used up, by one of us at a time.
 *
 * Nobody is asked anything here. A login that cannot be renewed is a failure that names the command for a person.
 */
import {
  type AuthorizationServerMetadata,
  type AuthProvider,
  type FetchLike,
  type OAuthClientInformationMixed,
  OAuthError,
  refreshAuthorization,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { AppError, messageOf } from '#contracts/errors';
import { authorizationOf, boundedFetch } from '../transports/bounded-fetch.ts';
import { type CredentialFile, type Credentials, type Tokens, withTokens } from './credentials.ts';

type UnauthorizedContext = Parameters<NonNullable<AuthProvider['onUnauthorized']>>[0];

/** A token that ends within this is as good as ended: the call that carries it takes time. Short lives have less of it. */
const EARLY_MS = 30_000;
const EARLY_SHARE = 1 / 4;

export interface RunAuthOptions {
  readonly server: string;
  readonly credentials: CredentialFile;
  /** Told of every token, which must never be shown. */
  readonly onSecret: (name: string, value: string) => void;
}

export class RunAuth implements AuthProvider {
  readonly #options: RunAuthOptions;
  #renewing: Promise<void> | undefined;

  constructor(options: RunAuthOptions) {
    this.#options = options;
  }

  async token(): Promise<string | undefined> {
    const known = await this.#read();
    const { tokens, expiresAt = Number.POSITIVE_INFINITY } = known;
    if (!tokens?.refresh_token || expiresAt - Date.now() > earlyMs(tokens)) return tokens?.access_token;
    await this.#renew(tokens.access_token, boundedFetch).catch((error: unknown) => {
      if (expiresAt <= Date.now()) throw error;
    });
    return (await this.#read()).tokens?.access_token;
  }

  async onUnauthorized({ response, fetchFn }: UnauthorizedContext): Promise<void> {
    const used = authorizationOf(response)?.replace(/^Bearer /i, '') ?? '';
    await this.#renew(used, fetchFn);
  }

  /** Those who come while it is being renewed share that; in another process somebody may have been first. */
  #renew(used: string, fetchFn: FetchLike): Promise<void> {
    this.#renewing ??= this.#renewLocked(used, fetchFn).finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renewLocked(used: string, fetchFn: FetchLike): Promise<void> {
    const { credentials } = this.#options;
    const before = await credentials.read();
    if (!before.tokens) throw new UnauthorizedError('There is no login');
    await using _lock = await credentials.lock();
    const known = await credentials.read();
    if (known.tokens && known.tokens.access_token !== used) return;
    if (!known.tokens?.refresh_token || !known.client || !known.discovery) {
      throw new UnauthorizedError('The login is over and cannot be renewed');
    }
    const { refresh_token: refreshToken } = known.tokens;
    try {
      const tokens = await refresh(known, refreshToken, fetchFn);
      await credentials.write(withTokens(known, tokens as Tokens));
    } catch (error) {
      if (!(error instanceof OAuthError)) throw this.#unrenewed(error);
      const { tokens: _gone, ...rest } = known;
      await credentials.write(rest);
      throw new UnauthorizedError(`The login is over: ${error.message}`);
    }
  }

  async #read(): Promise<Credentials> {
    const known = await this.#options.credentials.read();
    const { access_token, refresh_token } = known.tokens ?? {};
    if (access_token) this.#options.onSecret('OAuth token', access_token);
    if (refresh_token) this.#options.onSecret('OAuth refresh token', refresh_token);
    if (known.client?.client_secret) this.#options.onSecret('OAuth client secret', known.client.client_secret);
    return known;
  }

  #unrenewed(cause: unknown): AppError {
    const { server } = this.#options;
    return new AppError('UPSTREAM_UNREACHABLE', `Cannot renew the login of "${server}": ${messageOf(cause)}`, {
      cause,
    });
  }
}

function earlyMs({ expires_in }: Tokens): number {
  return Math.min(EARLY_MS, Number(expires_in) * 1000 * EARLY_SHARE || 0);
}

async function refresh({ client, discovery, resource }: Credentials, refreshToken: string, fetchFn: FetchLike) {
  return await refreshAuthorization(discovery?.authorizationServerUrl ?? '', {
    metadata: discovery?.authorizationServerMetadata as AuthorizationServerMetadata,
    clientInformation: client as OAuthClientInformationMixed,
    refreshToken,
    ...(resource !== undefined && { resource }),
    fetchFn,
  });
}
