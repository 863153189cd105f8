/** The login for machines without a browser (RFC 8628): a code, typed at the server's own page on any machine. */
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { AppError } from '#contracts/errors';
import { boundedFetch } from '../transports/bounded-fetch.ts';
import type { Credentials, Tokens } from './credentials.ts';

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code';

const grantSchema = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  verification_uri_complete: z.string().optional(),
  expires_in: z.number().default(900),
  interval: z.number().default(5),
});
const endpointsSchema = z.looseObject({
  token_endpoint: z.string(),
  device_authorization_endpoint: z.string().optional(),
});
const tokensSchema = z.looseObject({ access_token: z.string(), token_type: z.string() });

export interface DeviceCode {
  readonly page: string;
  readonly code: string;
}

export interface DeviceWish {
  readonly scope: string | undefined;
  readonly signal: AbortSignal;
  readonly show: (code: DeviceCode) => void;
}

/** Undefined when the server has no such login. */
export async function logInByDevice(known: Credentials, wish: DeviceWish): Promise<Tokens | undefined> {
  const { client, discovery, resource } = known;
  const { data: endpoints } = endpointsSchema.safeParse(discovery?.authorizationServerMetadata);
  if (!endpoints?.device_authorization_endpoint || !client) return undefined;
  const who = {
    client_id: client.client_id,
    ...(client.client_secret !== undefined && { client_secret: client.client_secret }),
    ...(resource !== undefined && { resource }),
  };
  const asked = await post(
    endpoints.device_authorization_endpoint,
    { ...who, ...(wish.scope && { scope: wish.scope }) },
    wish,
  );
  const grant = grantSchema.safeParse(asked.body).data;
  if (!asked.isOk || !grant) return undefined;
  wish.show({ page: grant.verification_uri_complete ?? grant.verification_uri, code: grant.user_code });

  let everyMs = grant.interval * 1000;
  for (const end = Date.now() + grant.expires_in * 1000; Date.now() < end; ) {
    await wait(everyMs, undefined, { signal: wish.signal });
    const { isOk, body } = await post(
      endpoints.token_endpoint,
      { ...who, grant_type: GRANT_TYPE, device_code: grant.device_code },
      wish,
    );
    if (isOk) return tokensSchema.parse(body) as Tokens;
    const { error = 'unknown' } = (body ?? {}) as { error?: string };
    if (error === 'slow_down') everyMs += 5_000;
    else if (error !== 'authorization_pending') throw new AppError('AUTH_REQUIRED', `The login was refused: ${error}`);
  }
  throw new AppError('AUTH_REQUIRED', 'Nobody typed the code in time', { hint: 'Try again' });
}

async function post(url: string, fields: Record<string, string>, { signal }: DeviceWish) {
  const response = await boundedFetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams(fields).toString(),
    signal,
  });
  const body: unknown = await response.json().catch(() => undefined);
  return { isOk: response.ok, body };
}
