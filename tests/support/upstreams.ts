/** Gateways over servers that were made to be called, and entries for those. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServerEntry } from '#clients/entry';
import { AppError } from '#contracts/errors';
import { DEFAULT_UPSTREAM_LIMITS, type UpstreamLimits } from '#contracts/limits';
import { fingerprintOf } from '#gateway/discovery/definition';
import type { DiscoveredServer } from '#gateway/discovery/discovery';
import { createGateway, type Gateway, type GatewayOptions } from '#gateway/gateway';
import { silentLogger } from '#observability/logger';

const FIXTURES = fileURLToPath(new URL('../fixtures/upstream/', import.meta.url));

export function entry(name: string, more: Partial<ServerEntry>): DiscoveredServer {
  const whole: ServerEntry = {
    name,
    transport: 'stdio',
    isTransportGuessed: false,
    args: [],
    env: {},
    envNames: [],
    headers: {},
    disabled: false,
    inputs: [],
    share: 'all',
    trusted: false,
    ...more,
  };
  return {
    name,
    entry: whole,
    source: { client: 'test', file: 'test.json', scope: 'own' },
    state: whole.disabled ? 'disabled' : 'ready',
    needs: [],
    secrets: [],
    fingerprint: fingerprintOf(whole),
  };
}

/** A server of `tests/fixtures/upstream`: the file and its arguments. */
export function fixture(name: string, args: readonly string[], more: Partial<ServerEntry> = {}): DiscoveredServer {
  const [file = '', ...rest] = args;
  return entry(name, { command: process.execPath, args: [join(FIXTURES, file), ...rest], ...more });
}

export function httpServer(name: string, url: string, more: Partial<ServerEntry> = {}): DiscoveredServer {
  return entry(name, { transport: 'http', url, ...more });
}

export interface TestGateway extends Gateway, AsyncDisposable {
  readonly stateDir: string;
}

export interface TestOptions extends Partial<Omit<GatewayOptions, 'servers' | 'limits'>> {
  readonly servers: readonly DiscoveredServer[] | (() => readonly DiscoveredServer[]);
  readonly limits?: Partial<UpstreamLimits>;
}

/** With a state directory of its own, gone with it unless one was given. */
export async function openGateway({ servers, limits, ...more }: TestOptions): Promise<TestGateway> {
  const stateDir = more.stateDir ?? (await mkdtemp(join(tmpdir(), 'sallyport-gateway-')));
  const gateway = createGateway({
    logger: silentLogger,
    env: process.env,
    clientInfo: { name: 'sallyport-test', version: '1.0.0' },
    ...more,
    stateDir,
    servers: typeof servers === 'function' ? servers : () => servers,
    limits: { ...DEFAULT_UPSTREAM_LIMITS, ...limits },
  });
  return Object.assign(gateway, {
    stateDir,
    async [Symbol.asyncDispose]() {
      await gateway.close();
      if (more.stateDir === undefined)
        await rm(stateDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    },
  });
}

/** The code and the message of the failure that must come. */
export async function failureOf(work: Promise<unknown>): Promise<{ code: string; message: string; hint?: string }> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, hint } = error;
    return { code, message, ...(hint !== undefined && { hint }) };
  }
  throw new Error('It worked, and should not have');
}

/** Asks until the answer is yes. */
export async function until(isSo: () => boolean | Promise<boolean>, timeMs = 5_000): Promise<void> {
  for (const end = Date.now() + timeMs; !(await isSo()); ) {
    if (Date.now() > end) throw new Error(`Not so after ${timeMs} ms: ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
