/**
 * What is known to servers that want a login: who we are to them, and what they gave us.
 *
 * One file for each address, readable for its user alone. A server that is configured twice, or under another name, is the
 * same server; with another registered client it is not.
 */
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { ServerEntry } from '#clients/entry';
import { readJson, writeJson } from '../kept-json.ts';
import { lockFile } from './file-lock.ts';

const clientSchema = z.looseObject({ client_id: z.string(), client_secret: z.string().optional() });
const tokensSchema = z.looseObject({
  access_token: z.string(),
  token_type: z.string(),
  refresh_token: z.string().optional(),
  scope: z.string().optional(),
});
const credentialsSchema = z.object({
  url: z.string(),
  client: clientSchema.optional(),
  /** Where the client was registered to be called back; some servers want exactly that. */
  redirectUrl: z.string().optional(),
  tokens: tokensSchema.optional(),
  /** Milliseconds since 1970. */
  expiresAt: z.number().optional(),
  /** What was found out about the authorization server. */
  discovery: z.looseObject({ authorizationServerUrl: z.string() }).optional(),
  resource: z.string().optional(),
});

export type Credentials = z.infer<typeof credentialsSchema>;
export type Tokens = z.infer<typeof tokensSchema>;

export class CredentialFile {
  readonly path: string;
  readonly #url: string;

  constructor(stateDir: string, { url = '', oauth }: Pick<ServerEntry, 'url' | 'oauth'>) {
    const key = createHash('sha256').update(JSON.stringify([url, oauth?.clientId]));
    this.#url = url;
    this.path = join(stateDir, 'auth', `${key.digest('hex').slice(0, 32)}.json`);
  }

  async read(): Promise<Credentials> {
    return credentialsSchema.safeParse(await readJson(this.path)).data ?? { url: this.#url };
  }

  async write(credentials: Credentials): Promise<void> {
    await writeJson(this.path, credentials);
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true });
  }

  /** Against all other processes of this user. */
  lock(): Promise<AsyncDisposable> {
    return lockFile(this.path);
  }
}

/** With the moment at which they will be of no more use; a server that gives no new refresh token means the old one. */
export function withTokens(credentials: Credentials, tokens: Tokens, now = Date.now()): Credentials {
  const seconds = Number(tokens.expires_in);
  const { expiresAt: _old, ...rest } = credentials;
  const kept = credentials.tokens?.refresh_token;
  return {
    ...rest,
    tokens: { ...(kept !== undefined && { refresh_token: kept }), ...tokens },
    ...(Number.isFinite(seconds) && seconds > 0 && { expiresAt: now + seconds * 1000 }),
  };
}
