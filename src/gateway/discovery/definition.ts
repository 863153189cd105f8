/** What makes two entries the same server. */
import { createHash } from 'node:crypto';
import type { ServerEntry } from '#clients/entry';

/** The same text for entries that reach the same server in the same way, whatever they are called. */
function definitionOf(entry: ServerEntry): string {
  const { transport, command, args, env, envNames, envFile, cwd, url, headers, oauth } = entry;
  return JSON.stringify([transport, command, args, sorted(env), envNames, envFile, cwd, url, sorted(headers), oauth]);
}

/** Like that, and switched on for the same tools: two names for two halves of a server are two wishes. */
export function wishOf(entry: ServerEntry): string {
  return JSON.stringify([definitionOf(entry), entry.disabled, entry.toolFilter, entry.share]);
}

/** Of the entry as written, so that neither a new token nor a moved home makes another server of it. */
export function fingerprintOf(entry: ServerEntry): string {
  return createHash('sha256').update(definitionOf(entry)).digest('hex').slice(0, 32);
}

function sorted(map: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
}
