/** An MCP server that wants a login, and the authorization server that gives it: OAuth 2.1 over real HTTP, strict. */
import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { answerWith, bodyOf, createTools, type HttpUpstream, serveHttp } from './http-upstreams.ts';

export interface GuardedOptions {
  readonly expiresIn?: number;
  /** Client-id documents are taken, registrations are not. */
  readonly onlyDocuments?: boolean;
  readonly hasDevices?: boolean;
  /** Clients that were registered by hand. */
  readonly clients?: Readonly<Record<string, string>>;
  readonly refuses?: boolean;
  readonly refreshMs?: number;
}

export interface GuardedUpstream extends HttpUpstream {
  readonly counts: {
    registrations: number;
    logins: number;
    refreshes: number;
    refreshesAtOnce: number;
    revoked: number;
  };
  /** Access tokens are no longer taken; with them renewals, too. */
  forget(what: 'access' | 'everything'): void;
  /** A scope that every call needs from now on. */
  needScope(scope: string): void;
  /** The person types the code. */
  approveDevice(): void;
  /** Everything that this server has given to somebody as a secret. */
  readonly secrets: ReadonlySet<string>;
}

interface Grant {
  readonly client: string;
  readonly scope: string;
  readonly challenge?: string;
  readonly redirect?: string;
}

export async function serveGuarded(options: GuardedOptions = {}): Promise<GuardedUpstream> {
  const counts = { registrations: 0, logins: 0, refreshes: 0, refreshesAtOnce: 0, revoked: 0 };
  const clients = new Map(Object.entries(options.clients ?? {}));
  const codes = new Map<string, Grant>();
  const access = new Map<string, Grant>();
  const renewals = new Map<string, Grant>();
  const secrets = new Set<string>();
  const mcp = createMcpHandler(createTools, { legacy: 'stateless' });
  let isApproved = false;
  let needed = 'read';
  let refreshing = 0;

  const give = (grant: Grant, response: ServerResponse) => {
    const [token, renewal] = [`access-${randomUUID()}`, `renewal-${randomUUID()}`];
    access.set(token, grant);
    renewals.set(renewal, grant);
    secrets.add(token).add(renewal);
    json(response, 200, {
      access_token: token,
      refresh_token: renewal,
      token_type: 'Bearer',
      scope: grant.scope,
      ...(options.expiresIn !== undefined && { expires_in: options.expiresIn }),
    });
  };

  const routes: Record<string, (url: URL, request: IncomingMessage, response: ServerResponse) => void | Promise<void>> =
    {
      '/.well-known/oauth-protected-resource/mcp': (url, _request, response) =>
        json(response, 200, {
          resource: `${url.origin}/mcp`,
          authorization_servers: [url.origin],
          scopes_supported: ['read'],
        }),
      '/.well-known/oauth-authorization-server': (url, _request, response) =>
        json(response, 200, {
          issuer: url.origin,
          authorization_endpoint: `${url.origin}/authorize`,
          token_endpoint: `${url.origin}/token`,
          revocation_endpoint: `${url.origin}/revoke`,
          ...(options.onlyDocuments
            ? { client_id_metadata_document_supported: true }
            : { registration_endpoint: `${url.origin}/register` }),
          ...(options.hasDevices && { device_authorization_endpoint: `${url.origin}/device` }),
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none', 'client_secret_post'],
          authorization_response_iss_parameter_supported: true,
        }),
      '/register': async (_url, request, response) => {
        const asked = JSON.parse((await bodyOf(request)).toString('utf8'));
        const id = `client-${randomUUID()}`;
        clients.set(id, '');
        counts.registrations += 1;
        json(response, 201, { ...asked, client_id: id });
      },
      '/authorize': ({ searchParams: asked, origin }, _request, response) => {
        const [client = '', redirect = ''] = [asked.get('client_id') ?? '', asked.get('redirect_uri') ?? ''];
        const isKnown = clients.has(client) || (options.onlyDocuments && client.startsWith('https://'));
        const isRight =
          isKnown &&
          asked.get('code_challenge_method') === 'S256' &&
          asked.get('response_type') === 'code' &&
          asked.get('resource') === `${origin}/mcp` &&
          new URL(redirect).hostname === '127.0.0.1';
        if (!isRight) return json(response, 400, { error: 'invalid_request', asked: Object.fromEntries(asked) });
        const back = new URL(redirect);
        back.searchParams.set('state', asked.get('state') ?? '');
        back.searchParams.set('iss', origin);
        if (options.refuses) back.searchParams.set('error', 'access_denied');
        else {
          const code = randomUUID();
          const scope = asked.get('scope') ?? '';
          codes.set(code, { client, scope, challenge: asked.get('code_challenge') ?? '', redirect });
          back.searchParams.set('code', code);
        }
        response.writeHead(302, { location: back.href }).end();
      },
      '/device': async (url, request, response) => {
        const asked = new URLSearchParams((await bodyOf(request)).toString('utf8'));
        codes.set('device', { client: asked.get('client_id') ?? '', scope: asked.get('scope') ?? '' });
        json(response, 200, {
          device_code: 'device',
          user_code: 'ABCD-1234',
          verification_uri: `${url.origin}/type-it`,
          interval: 0.05,
          expires_in: 60,
        });
      },
      '/token': async (_url, request, response) => {
        const asked = new URLSearchParams((await bodyOf(request)).toString('utf8'));
        const refuse = (error: string) => json(response, 400, { error });
        const client = asked.get('client_id') ?? '';
        const secret = clients.get(client);
        if (secret && secret !== asked.get('client_secret')) return json(response, 401, { error: 'invalid_client' });
        switch (asked.get('grant_type')) {
          case 'authorization_code': {
            const grant = codes.get(asked.get('code') ?? '');
            codes.delete(asked.get('code') ?? '');
            const proof = createHash('sha256')
              .update(asked.get('code_verifier') ?? '')
              .digest('base64url');
            if (grant?.client !== client || grant.challenge !== proof) return refuse('invalid_grant');
            if (grant.redirect !== asked.get('redirect_uri')) return refuse('invalid_grant');
            counts.logins += 1;
            return give(grant, response);
          }
          case 'refresh_token': {
            refreshing += 1;
            counts.refreshesAtOnce = Math.max(counts.refreshesAtOnce, refreshing);
            await new Promise((resolve) => setTimeout(resolve, options.refreshMs ?? 0));
            refreshing -= 1;
            const old = asked.get('refresh_token') ?? '';
            const grant = renewals.get(old);
            // Used once, as OAuth 2.1 wants it: whoever comes second with the same one is taken for a thief.
            renewals.delete(old);
            if (grant?.client !== client) return refuse('invalid_grant');
            counts.refreshes += 1;
            return give(grant, response);
          }
          case 'urn:ietf:params:oauth:grant-type:device_code': {
            const grant = codes.get('device');
            if (!isApproved || !grant) return refuse('authorization_pending');
            counts.logins += 1;
            return give(grant, response);
          }
          default:
            return refuse('unsupported_grant_type');
        }
      },
      '/revoke': async (_url, request, response) => {
        const token = new URLSearchParams((await bodyOf(request)).toString('utf8')).get('token') ?? '';
        if (access.delete(token) || renewals.delete(token)) counts.revoked += 1;
        response.writeHead(200).end();
      },
      '/mcp': async (url, request, response) => {
        const grant = access.get(request.headers.authorization?.replace(/^Bearer /, '') ?? '');
        const metadata = `resource_metadata="${url.origin}/.well-known/oauth-protected-resource/mcp"`;
        const isEnough = grant?.scope.split(' ').includes(needed);
        if (grant && isEnough) return await answerWith(mcp.fetch, request, response);
        await bodyOf(request);
        const error = grant ? `error="insufficient_scope", scope="${needed}", ` : '';
        response.writeHead(grant ? 403 : 401, { 'www-authenticate': `Bearer ${error}${metadata}` }).end();
      },
    };

  const server = await serveHttp('/mcp', async (request, response) => {
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
    const route = routes[url.pathname];
    if (route) await route(url, request, response);
    else response.writeHead(404).end();
  });
  return Object.assign(server, {
    counts,
    secrets,
    forget(what: 'access' | 'everything') {
      access.clear();
      if (what === 'everything') renewals.clear();
    },
    needScope(scope: string) {
      needed = scope;
    },
    approveDevice() {
      isApproved = true;
    },
  });
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
