/**
 * The user's MCP servers as one house of tools: found by search, called by name, started when first needed.
 *
 * Decides nothing about who may call what; that is done before a call gets here. Everything that comes out is an
 * upstream's word, and every failure is an AppError, but for a caller's own cancellation: that rejects with the reason
 * that the caller gave.
 */
import type { Implementation } from '@modelcontextprotocol/client';
import type { UpstreamLimits } from '#contracts/limits';
import type { Logger } from '#observability/logger';
import type { UpstreamAsks } from './asks.ts';
import type { DiscoveredServer } from './discovery/discovery.ts';
import type { Environment } from './environment.ts';
import { LastWords } from './last-words.ts';
import { OpenGateway } from './open-gateway.ts';
import { UpstreamPool } from './pool.ts';
import type { Gateway } from './port.ts';
import { ToolBook } from './tool-book.ts';
import { Verdicts } from './verdicts.ts';

export type * from './port.ts';

export interface GatewayOptions {
  /** Asked again and again; the same array as long as nothing changed. */
  readonly servers: () => readonly DiscoveredServer[];
  readonly stateDir: string;
  readonly logger: Logger;
  /** The host's environment, of which upstreams get what a machine needs. */
  readonly env: Environment;
  readonly limits: UpstreamLimits;
  readonly clientInfo: Implementation;
  /** Takes the secrets of servers out of a text. */
  readonly clean?: (text: string) => string;
  /** What can be asked of callers, at each start of a server anew. */
  readonly asks?: () => UpstreamAsks;
  /** Told of tokens that servers gave, which must never be shown. */
  readonly onSecret?: (name: string, value: string) => void;
}

export function createGateway(options: GatewayOptions): Gateway {
  const { logger, stateDir, limits } = options;
  const words = new LastWords(stateDir, options.clean ?? ((text) => text), logger);
  const pool = new UpstreamPool(options.servers, {
    env: options.env,
    limits,
    logger,
    verdicts: new Verdicts(stateDir, logger),
    asks: options.asks ?? (() => ({})),
    stateDir,
    onSecret: options.onSecret ?? (() => {}),
    clientInfo: options.clientInfo,
    onReady: (upstream) => book.noteStart(upstream),
    onToolsChanged: (upstream) => book.noteChange(upstream),
    onEnd: ({ server, stderr }, error) => void words.keep(server.fingerprint, error?.message, stderr.text()),
  });
  const book: ToolBook = new ToolBook({
    stateDir,
    logger,
    servers: () => pool.servers(),
    upstream: (name) => pool.upstream(name, undefined),
    listMs: limits.startMs,
  });
  return new OpenGateway(pool, book, words, logger);
}
