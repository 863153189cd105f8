/** Tells a server that tokens are of no more use (RFC 7009). A courtesy: they are forgotten here either way. */
import { z } from 'zod';
import { boundedFetch } from '../transports/bounded-fetch.ts';
import type { Credentials } from './credentials.ts';

const metadataSchema = z.looseObject({ revocation_endpoint: z.string() });
const TIME_MS = 5_000;

export async function revokeTokens({ discovery, client, tokens }: Credentials, signal: AbortSignal): Promise<void> {
  const metadata = metadataSchema.safeParse(discovery?.authorizationServerMetadata).data;
  if (!metadata || !client || !tokens) return;
  const who = { client_id: client.client_id, ...(client.client_secret && { client_secret: client.client_secret }) };
  const all = [tokens.refresh_token, tokens.access_token].filter((token) => token !== undefined);
  await Promise.allSettled(
    all.map((token) =>
      boundedFetch(metadata.revocation_endpoint, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ token, ...who }).toString(),
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIME_MS)]),
      }),
    ),
  );
}
