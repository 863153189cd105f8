/**
 * The user's servers, not looked for before somebody asks: a session that calls nobody pays nothing for them.
 *
 * Looking for them and talking to them are separate steps: their names are wanted at the start of each connection, the
 * machinery to reach them only when a program does.
 */
import { AppError, messageOf } from '#contracts/errors';
import type { UpstreamLimits } from '#contracts/limits';
import type { ToolInfo, ToolValue } from '#contracts/tool';
import type { DiscoveredServer, Discovery } from '#gateway/discovery/discovery';
import type { TrustedProjects } from '#gateway/discovery/trusted-projects';
import type { DiscoveryWatch } from '#gateway/discovery/watch';
import type { Gateway } from '#gateway/gateway';
import type { Logger } from '#observability/logger';
import type { SecretBook } from '#policy/secret-book';
import type { CallGate, GateCall } from './call-gate.ts';
import type { LearntType, LearntTypes } from './learnt-types.ts';
import { CallerAbilities } from './upstream-asks.ts';
import type { UpstreamPlaces } from './upstream-places.ts';

export interface UpstreamsParts extends UpstreamPlaces {
  readonly stateDir: string;
  readonly gate: CallGate;
  readonly learnt: LearntTypes;
  readonly secrets: SecretBook;
  readonly limits: UpstreamLimits;
  readonly version: string;
  readonly logger: Logger;
}

export class Upstreams {
  /** What the people behind the doors can be asked. */
  readonly abilities = new CallerAbilities();
  readonly #parts: UpstreamsParts;
  #found: Promise<Discovery> | undefined;
  #discovery: Discovery | undefined;
  /** The same list as long as nothing was found anew. */
  #usable: readonly DiscoveredServer[] = [];
  #watch: DiscoveryWatch | undefined;
  #gateway: Promise<Gateway> | undefined;
  #isClosed = false;
  /** Secrets that servers gave, by value. */
  readonly #tokens = new Map<string, { readonly name: string; readonly value: string }>();

  constructor(parts: UpstreamsParts) {
    this.#parts = parts;
  }

  /** Whose config files a person trusts. */
  get projects(): TrustedProjects {
    return this.#parts.projects;
  }

  /** Where logins are kept. */
  get stateDir(): string {
    return this.#parts.stateDir;
  }

  /** Keeps a person's answer to what a config file asks for, and looks at the servers anew. */
  async answerInput(id: string, file: string, answer: string): Promise<void> {
    await this.#parts.answers.set(id, file, answer);
    this.#found = undefined;
  }

  /** Everything that was found, with what was left out and why. */
  async discovery(): Promise<Discovery> {
    this.#found ??= this.#discover();
    await this.#found;
    return this.#discovery as Discovery;
  }

  /** The servers that can be used, in the order of their sources. */
  async servers(): Promise<readonly DiscoveredServer[]> {
    if (this.#discovery === undefined || this.#found === undefined) await this.discovery();
    return this.#usable;
  }

  /** Whether any are known; false before anybody has looked. */
  get hasServers(): boolean {
    return this.#discovery?.servers.some(({ state }) => state !== 'disabled') ?? false;
  }

  /** What every call passes. */
  get gate(): CallGate {
    return this.#parts.gate;
  }

  /** What the gate wants to know about a call. */
  async callFacts(tool: Pick<ToolInfo, 'server' | 'name' | 'annotations'>, args: unknown): Promise<GateCall> {
    const server = (await this.servers()).find(({ name }) => name === tool.server);
    return {
      server: tool.server,
      tool: tool.name,
      args,
      annotations: tool.annotations ?? {},
      isTrusted: server?.entry.trusted ?? false,
      fingerprint: server?.fingerprint ?? '',
      callsPerMinute: server?.entry.callsPerMinute,
    };
  }

  /** What a server's tools were seen to answer, by their names. */
  async learntTypes(server: string): Promise<ReadonlyMap<string, LearntType>> {
    const known = (await this.servers()).find(({ name }) => name === server);
    return known ? await this.#parts.learnt.of(known.fingerprint) : new Map();
  }

  learn(fingerprint: string, tool: string, value: ToolValue): void {
    this.#parts.learnt.note(fingerprint, tool, value);
  }

  gateway(): Promise<Gateway> {
    this.#gateway ??= this.#open();
    return this.#gateway;
  }

  /** Ahead of the first use. Starts no server. */
  async prepare(): Promise<void> {
    if ((await this.servers()).length > 0) await this.gateway();
  }

  /** Without the secrets of any server's configuration. */
  clean(text: string): string {
    return this.#parts.secrets.clean(text);
  }

  cleanBytes(bytes: Buffer): Buffer {
    return this.#parts.secrets.mask?.bytes(bytes) ?? bytes;
  }

  cleanError(error: unknown): AppError {
    if (!(error instanceof AppError)) return new AppError('INTERNAL', this.clean(messageOf(error)), { cause: error });
    const hint = error.hint === undefined ? {} : { hint: this.clean(error.hint) };
    return new AppError(error.code, this.clean(error.message), { ...hint, cause: error });
  }

  endSession(session: string): void {
    void this.#gateway?.then((gateway) => gateway.endSession(session));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watch?.close();
    await (await this.#gateway)?.close();
  }

  async #discover(): Promise<Discovery> {
    const { discoverServers } = await import('#gateway/discovery/discover');
    const found = await discoverServers(this.#parts.discovery);
    this.#take(found);
    return found;
  }

  #take(found: Discovery): void {
    this.#discovery = found;
    this.#usable = found.servers.filter(({ state }) => state !== 'disabled');
    this.#parts.secrets.note(
      'servers',
      found.servers.flatMap((server) => server.secrets),
    );
    this.#keepNames(found).catch((cause: unknown) =>
      this.#parts.logger.debug('Cannot keep the names of the servers', { cause }),
    );
  }

  #noteToken(name: string, value: string): void {
    if (this.#tokens.has(value)) return;
    this.#tokens.set(value, { name, value });
    this.#parts.secrets.note('logins', [...this.#tokens.values()]);
  }

  async #keepNames(found: Discovery): Promise<void> {
    const { keepNames } = await import('./upstream-places.ts');
    await keepNames(this.#parts, found);
  }

  async #open(): Promise<Gateway> {
    const { logger, stateDir, limits, version, discovery } = this.#parts;
    const [{ createGateway }, { watchDiscovery }, known] = await Promise.all([
      import('#gateway/gateway'),
      import('#gateway/discovery/watch'),
      this.discovery(),
    ]);
    if (!this.#isClosed) {
      this.#watch = watchDiscovery(discovery, (changed) => this.#take(changed), { known, logger });
    }
    return createGateway({
      servers: () => (this.#discovery as Discovery).servers,
      stateDir,
      logger,
      env: discovery.place.env,
      limits,
      clientInfo: { name: 'sallyport', version },
      asks: () => this.abilities.asks(),
      clean: (text) => this.clean(text),
      onSecret: (name, value) => this.#noteToken(name, value),
    });
  }
}
