/** First found wins: one server for each name, and one for each definition. */
import { wishOf } from './definition.ts';
import type { DiscoveredServer, ShadowedServer } from './discovery.ts';

export interface Merged {
  readonly servers: readonly DiscoveredServer[];
  readonly shadowed: readonly ShadowedServer[];
}

export function mergeServers(found: readonly DiscoveredServer[]): Merged {
  const byName = new Map<string, DiscoveredServer>();
  const byWish = new Map<string, DiscoveredServer>();
  const shadowed: ShadowedServer[] = [];
  for (const server of found) {
    const { name, source } = server;
    const wish = wishOf(server.entry);
    const sameName = byName.get(name);
    const winner = sameName ?? byWish.get(wish);
    if (winner === undefined) {
      byName.set(name, server);
      byWish.set(wish, server);
    } else {
      const by = { name: winner.name, source: winner.source };
      shadowed.push({ name, source, by, reason: sameName ? 'same-name' : 'same-definition' });
    }
  }
  return { servers: [...byName.values()], shadowed };
}
