/** What the SDK's login asks of us, over credentials in memory; they are written when the login is done. */
import { randomBytes } from 'node:crypto';
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import type { ServerEntry } from '#clients/entry';
import { type Credentials, type Tokens, withTokens } from './credentials.ts';

export interface ProviderOptions {
  readonly entry: ServerEntry;
  readonly known: Credentials;
  readonly redirectUrl: string;
  /** A document about us at an https address, which some servers take instead of a registration. */
  readonly clientMetadataUrl: string | undefined;
}

const GRANT_TYPES = ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'];

function clientMetadata(redirectUrl: string): OAuthClientMetadata {
  return {
    client_name: 'Sallyport',
    redirect_uris: [redirectUrl],
    grant_types: GRANT_TYPES,
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  };
}

export class LoginProvider implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly clientMetadataUrl?: string;
  readonly #stateWord = randomBytes(24).toString('base64url');
  readonly #entry: ServerEntry;
  readonly #issuer: string | undefined;
  #credentials: Credentials;
  #verifier = '';
  /** Where the person has to go. */
  page: URL | undefined;

  constructor({ entry, known, redirectUrl, clientMetadataUrl }: ProviderOptions) {
    this.redirectUrl = redirectUrl;
    this.#entry = entry;
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl;
    // A client that was registered for another address would be sent there.
    const { client, tokens: _old, expiresAt: _time, discovery: _found, ...rest } = known;
    this.#issuer = typeof client?.issuer === 'string' ? client.issuer : undefined;
    const isUsable = known.redirectUrl === redirectUrl || client?.client_id === clientMetadataUrl;
    this.#credentials = { ...rest, redirectUrl, ...(client && isUsable && { client }) };
  }

  get credentials(): Credentials {
    return this.#credentials;
  }

  get clientMetadata(): OAuthClientMetadata {
    return clientMetadata(this.redirectUrl);
  }

  state(): string {
    return this.#stateWord;
  }

  clientInformation(place?: { issuer: string }): StoredOAuthClientInformation | undefined {
    const { clientId, clientSecret } = this.#entry.oauth ?? {};
    if (clientId === undefined) return this.#credentials.client as StoredOAuthClientInformation | undefined;
    // A client that a person registered belongs to whoever gave the first login; its secret goes to nobody else.
    const issuer = this.#issuer ?? place?.issuer;
    const client = {
      client_id: clientId,
      ...(clientSecret !== undefined && { client_secret: clientSecret }),
      ...(issuer !== undefined && { issuer }),
    };
    this.saveClientInformation(client);
    return client;
  }

  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.#credentials = { ...this.#credentials, client };
  }

  tokens(): StoredOAuthTokens | undefined {
    return undefined; // a login is asked for, not a renewal
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#credentials = withTokens(this.#credentials, tokens as Tokens);
  }

  redirectToAuthorization(page: URL): void {
    this.page = page;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveResourceUrl(resource: string): void {
    this.#credentials = { ...this.#credentials, resource };
  }

  saveDiscoveryState(discovery: OAuthDiscoveryState): void {
    this.#credentials = { ...this.#credentials, discovery: { ...discovery } };
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#credentials.discovery as OAuthDiscoveryState | undefined;
  }
}
