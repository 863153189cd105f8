/**
 * The upstreams of all configured servers: one for each, or one for each session where the entry says so.
 *
 * The configuration is looked at again with every use. An entry that changed gets a new upstream; the old one finishes
 * what it was asked to do and ends.
 */
import { AppError } from '#contracts/errors';
import type { DiscoveredServer, Need } from './discovery/discovery.ts';
import { didYouMean } from './nearest.ts';
import { Upstream, type UpstreamParts } from './upstream.ts';

/** For servers that all sessions share. */
const EVERYBODY = '';
const NAMES_SHOWN = 12;

interface Held {
  readonly upstream: Upstream;
  readonly session: string;
}

export class UpstreamPool {
  readonly #list: () => readonly DiscoveredServer[];
  readonly #parts: UpstreamParts;
  #servers: readonly DiscoveredServer[] = [];
  #byName = new Map<string, DiscoveredServer>();
  /** By name and session. */
  readonly #held = new Map<string, Held>();
  readonly #retired = new Set<Upstream>();
  #isClosed = false;

  constructor(list: () => readonly DiscoveredServer[], parts: UpstreamParts) {
    this.#list = list;
    this.#parts = parts;
  }

  servers(): readonly DiscoveredServer[] {
    const servers = this.#list();
    if (servers !== this.#servers) this.#follow(servers);
    return servers;
  }

  /** Throws when nobody is called that, or when it is switched off. */
  find(name: string): DiscoveredServer {
    const servers = this.servers();
    const server = this.#byName.get(name);
    if (!server) throw unknownError(name, servers);
    if (server.state === 'disabled') {
      throw new AppError('UPSTREAM_UNKNOWN', `Upstream "${name}" is switched off`, {
        hint: `A person can switch it on in ${server.source.file}`,
      });
    }
    return server;
  }

  /** Throws when there is no such server or when something is missing that only a person can give. */
  upstream(name: string, session: string | undefined): Upstream {
    const server = this.find(name);
    if (this.#isClosed)
      throw new AppError('UPSTREAM_UNREACHABLE', `Upstream "${name}" was stopped: Sallyport is ending`);
    if (server.state === 'needs-input') throw needsInputError(server);
    const owner = server.entry.share === 'session' ? (session ?? EVERYBODY) : EVERYBODY;
    const key = JSON.stringify([name, owner]);
    const held = this.#held.get(key);
    if (held) return held.upstream;
    const upstream = new Upstream(server, this.#parts);
    this.#held.set(key, { upstream, session: owner });
    return upstream;
  }

  /** The upstream that speaks for the server in lists: the shared one, else any. */
  running(name: string): Upstream | undefined {
    const own = [...this.#held.values()].filter(({ upstream }) => upstream.server.name === name);
    return (own.find(({ upstream }) => upstream.state === 'ready') ?? own[0])?.upstream;
  }

  endSession(session: string): void {
    for (const [key, held] of this.#held)
      if (held.session === session && session !== EVERYBODY) this.#retire(key, held);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const all = [...[...this.#held.values()].map(({ upstream }) => upstream), ...this.#retired];
    await Promise.all(all.map((upstream) => upstream.close()));
  }

  #follow(servers: readonly DiscoveredServer[]): void {
    this.#servers = servers;
    this.#byName = new Map(servers.map((server) => [server.name, server]));
    for (const [key, held] of this.#held) {
      const server = this.#byName.get(held.upstream.server.name);
      if (server?.state !== 'ready' || !isSame(server, held.upstream.server)) this.#retire(key, held);
    }
  }

  #retire(key: string, { upstream }: Held): void {
    this.#held.delete(key);
    this.#retired.add(upstream);
    void upstream.retire().finally(() => this.#retired.delete(upstream));
  }
}

function isSame(one: DiscoveredServer, other: DiscoveredServer): boolean {
  return one === other || howToReach(one) === howToReach(other);
}

/** With its secrets: a new token wants a new process. What is only said about a server does not. */
function howToReach({
  entry: { description: _text, toolFilter: _filter, trusted: _trust, ...rest },
}: DiscoveredServer) {
  return JSON.stringify(rest);
}

function unknownError(name: string, servers: readonly DiscoveredServer[]): AppError {
  const names = servers.filter(({ state }) => state !== 'disabled').map((server) => server.name);
  const shown = names.slice(0, NAMES_SHOWN).join(', ');
  const all =
    names.length === 0 ? 'There are no servers' : `Servers: ${shown}${names.length > NAMES_SHOWN ? ', …' : ''}`;
  return new AppError('UPSTREAM_UNKNOWN', `There is no upstream server ${JSON.stringify(name.slice(0, 100))}`, {
    hint: [didYouMean(name, names), all].filter(Boolean).join(' '),
  });
}

function needsInputError({ name, needs }: DiscoveredServer): AppError {
  return new AppError('UPSTREAM_UNREACHABLE', `Upstream "${name}" lacks ${needs.map(nameNeed).join(', ')}`, {
    hint: 'A person can run: sallyport doctor',
  });
}

function nameNeed({ kind, id, description }: Need): string {
  const what = kind === 'unknown' ? 'a value for' : `the ${kind}`;
  return `${what} "${id}"${description === undefined ? '' : ` (${description})`}`;
}
