/** The hosts that programs may reach, as a person wrote them: `host`, `*.host`, `host:port`. An empty list allows nothing. */
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { AppError } from '#contracts/errors';

/** What an entry without a port means. */
const USUAL_PORTS: readonly number[] = [80, 443];
const PORT_MAX = 65_535;
const HOST_NAME = /^(?:[a-z0-9_-]{1,63}\.)*[a-z0-9-]{1,63}$/;
/** What the parser of addresses would read past. */
const NO_PART_OF_A_HOST = /[\s/\\?#@:%]/;
/** A name that ends so is an address in disguise: `2130706433`, `127.0x1`. */
const NUMBER = /^(?:\d+|0x[0-9a-f]*)$/;

interface Entry {
  readonly host: string;
  readonly withSubdomains: boolean;
  readonly ports: readonly number[];
}

export class Allowlist {
  readonly #entries: readonly Entry[];

  /** Throws INVALID_CONFIG that names the first entry which is none. */
  constructor(texts: readonly string[]) {
    this.#entries = texts.map(parseEntry);
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  allows(host: string, port: number): boolean {
    const name = canonicalHost(host);
    return (
      name !== undefined &&
      this.#entries.some(
        (entry) =>
          entry.ports.includes(port) && (entry.withSubdomains ? name.endsWith(`.${entry.host}`) : name === entry.host),
      )
    );
  }
}

/** One spelling for all ways to write a host; undefined for what is none. */
export function canonicalHost(host: string): string | undefined {
  const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  if (isIP(bare) !== 0) return bare.toLowerCase();
  if (NO_PART_OF_A_HOST.test(bare)) return undefined;
  const name = domainToASCII(bare).replace(/\.$/, '');
  return HOST_NAME.test(name) && !NUMBER.test(name.slice(name.lastIndexOf('.') + 1)) ? name : undefined;
}

function parseEntry(text: string): Entry {
  const wrong = (why: string) =>
    new AppError('INVALID_CONFIG', `"network" has ${JSON.stringify(text.slice(0, 100))}, ${why}`, {
      hint: 'Write "host", "*.host" or "host:port", for example "api.example.com", "*.example.com", "example.com:8443"',
    });
  const [, name = '', port] = /^(\[[^\]]*\]|[^:]*|[^:]*:[^:]*:.*?)(?::(\d{1,5}))?$/.exec(text.trim()) ?? [];
  const withSubdomains = name.startsWith('*.');
  const host = canonicalHost(withSubdomains ? name.slice(2) : name);
  if (name === '*') throw wrong('which would allow every host');
  if (host === undefined || (withSubdomains && isIP(host) !== 0)) throw wrong('which is no host');
  if (port !== undefined && (Number(port) === 0 || Number(port) > PORT_MAX)) throw wrong('whose port is none');
  return { host, withSubdomains, ports: port === undefined ? USUAL_PORTS : [Number(port)] };
}
