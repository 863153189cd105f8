/** Logins at servers, for the commands of a person. */
import { AppError } from '#contracts/errors';
import { CredentialFile } from '#gateway/auth/credentials';
import type { DeviceCode } from '#gateway/auth/device';
import type { LoginEnd } from '#gateway/auth/login';
import type { DiscoveredServer } from '#gateway/discovery/discovery';
import { findServer } from './find-tools.ts';
import { openGrants } from './run-grants.ts';
import type { Upstreams } from './upstreams.ts';

export interface LoginStatus {
  readonly server: string;
  readonly url: string;
  /** `header`: its entry has an Authorization header. */
  readonly login: 'none' | 'yes' | 'over' | 'header';
  readonly scope: string | null;
  /** When the token ends; one that can be renewed will be. */
  readonly expiresAt: string | null;
  readonly renewable: boolean;
}

export interface LoginDesk {
  readonly clientMetadataUrl: string | undefined;
  readonly scope: string | undefined;
  /** Whether the person's browser is on another machine. */
  readonly isHeadless: boolean;
  readonly signal: AbortSignal;
  /** Gives the address that the browser ended at, where the person brings it by hand. */
  readonly askForAddress: (page: URL) => Promise<string | undefined>;
  readonly showCode: (code: DeviceCode) => void;
}

export async function logIn(upstreams: Upstreams, name: string, desk: LoginDesk): Promise<LoginEnd> {
  const { entry } = await remoteServer(upstreams, name, desk.signal);
  const { logIn: logInAt } = await import('#gateway/auth/login');
  const { openPage } = await import('#gateway/transports/open-page');
  return await logInAt({
    entry,
    credentials: new CredentialFile(upstreams.stateDir, entry),
    clientMetadataUrl: desk.clientMetadataUrl,
    scope: desk.scope,
    isHeadless: desk.isHeadless,
    signal: desk.signal,
    showPage: async (page) => {
      if (!desk.isHeadless) openPage(page);
      return await desk.askForAddress(page);
    },
    showCode: desk.showCode,
  });
}

/** Whether there was a login. The server is told, where it wants to know. */
export async function logOut(upstreams: Upstreams, name: string, signal: AbortSignal): Promise<boolean> {
  const { entry } = await remoteServer(upstreams, name, signal);
  const credentials = new CredentialFile(upstreams.stateDir, entry);
  await using _lock = await credentials.lock();
  const known = await credentials.read();
  await credentials.remove();
  if (!known.tokens) return false;
  const { revokeTokens } = await import('#gateway/auth/revoke');
  await revokeTokens(known, signal);
  return true;
}

export async function loginStatus(upstreams: Upstreams): Promise<LoginStatus[]> {
  const remote = (await upstreams.servers()).filter(({ entry }) => entry.url !== undefined);
  return await Promise.all(remote.map((server) => statusOf(upstreams, server)));
}

async function statusOf(upstreams: Upstreams, { name, entry }: DiscoveredServer): Promise<LoginStatus> {
  const { tokens, expiresAt } = await new CredentialFile(upstreams.stateDir, entry).read();
  const hasHeader = Object.keys(entry.headers).some((header) => header.toLowerCase() === 'authorization');
  const renewable = tokens?.refresh_token !== undefined;
  const isOver = expiresAt !== undefined && expiresAt <= Date.now() && !renewable;
  return {
    server: name,
    url: entry.url ?? '',
    login: hasHeader ? 'header' : tokens === undefined ? 'none' : isOver ? 'over' : 'yes',
    scope: tokens?.scope ?? null,
    expiresAt: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
    renewable,
  };
}

async function remoteServer(upstreams: Upstreams, name: string, signal: AbortSignal): Promise<DiscoveredServer> {
  const server = await findServer(upstreams, openGrants(signal), name);
  if (server.entry.url !== undefined) return server;
  throw new AppError('INVALID_INPUT', `"${name}" is started by a command, and has no login`, {
    hint: 'What it needs to know goes into "env" of its entry',
  });
}
