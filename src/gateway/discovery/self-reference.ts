/**
 * Entries that would start Sallyport itself, or lead back to it.
 *
 * A Sallyport that starts a Sallyport that reads the same configs would not stop by itself, so every way that people
 * have of starting it is known here: by name, by path, through links, package runners, shells, containers, and by URL.
 */
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ServerEntry } from '#clients/entry';
import { type Place, pathOf } from '#clients/place';
import { programName, type Started, startedBy } from './command-line.ts';

const NAME = 'sallyport';
const DEFAULT_PORT = '7077';

export interface SelfReferenceOptions {
  readonly place: Place;
  /** The folder of this installation. */
  readonly selfRoot?: string | undefined;
  /** Where this process itself answers. */
  readonly selfUrls?: readonly string[] | undefined;
}

/** Why the entry is Sallyport, in a few words; undefined when it is not. */
export function selfReference(entry: ServerEntry, options: SelfReferenceOptions): string | undefined {
  if (entry.name.toLowerCase() === NAME) return 'Has the name of Sallyport itself';
  // Bridges such as mcp-remote get the address as an argument.
  if ([entry.url ?? '', ...entry.args].some((text) => leadsBack(text, options)))
    return 'Leads back to Sallyport itself';
  if (entry.command === undefined) return undefined;
  const started = startedBy(entry.command, entry.args);
  return started.some((one) => isSelf(one, entry, options)) ? 'Starts Sallyport itself' : undefined;
}

function leadsBack(text: string, { selfUrls = [] }: SelfReferenceOptions): boolean {
  if (!/^https?:/i.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  const isLoopback = /^(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|host\.docker\.internal)$/i.test(url.hostname);
  if (isLoopback && url.port === DEFAULT_PORT) return true;
  return selfUrls.some((own) => {
    const { host, port } = new URL(own);
    return url.host === host || (isLoopback && url.port === port);
  });
}

function isSelf({ kind, what, cwd }: Started, entry: ServerEntry, options: SelfReferenceOptions): boolean {
  const path = pathOf(options.place);
  const full = () => withoutLinks(path.resolve(entry.cwd ?? options.place.home, cwd ?? '', what));
  switch (kind) {
    case 'program':
      return programName(what) === NAME || (/[\\/.]/.test(what) && isOurFile(full(), options));
    case 'package':
      return packageName(what) === NAME || (/[\\/.]/.test(what) && isOurFile(full(), options));
    case 'folder':
      return programName(full()) === NAME || full() === selfRootOf(options);
    case 'image':
      return imageName(what) === NAME;
    default:
      return kind satisfies never;
  }
}

/** What a package, a clone or an unpacked release is started by. */
const ENTRY_FILES = ['dist/main.js', 'scripts/bin.mjs', 'src/main.ts', 'sallyport', 'sallyport.cmd'];
const OUR_FILE = /[\\/]sallyport(?:-[^\\/]*)?[\\/](?:dist[\\/]main\.js|scripts[\\/]bin\.mjs|src[\\/]main\.ts)$/i;

function isOurFile(full: string, options: SelfReferenceOptions): boolean {
  if (programName(full) === NAME || OUR_FILE.test(full)) return true;
  const root = selfRootOf(options);
  return full === root || ENTRY_FILES.some((file) => pathOf(options.place).join(root, file) === full);
}

function selfRootOf({ selfRoot }: SelfReferenceOptions): string {
  const root = selfRoot ?? fileURLToPath(new URL('../../..', import.meta.url));
  return withoutLinks(root).replace(/(?<=.)[\\/]+$/, '');
}

function withoutLinks(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path; // nothing is there, so no link is either
  }
}

/** `npm:sallyport@1.2`, `github:me/sallyport#main`, `./sallyport-1.2.0.tgz` → `sallyport`. */
function packageName(spec: string): string {
  return spec
    .replace(/#.*$/s, '')
    .replace(/^.*[\\/:]/s, '')
    .replace(/(?<=.)@.*$/s, '')
    .replace(/\.git$|-\d[\w.+-]*\.tgz$|\.tgz$/, '')
    .toLowerCase();
}

/** `ghcr.io/me/sallyport:1.2@sha256:…` → `sallyport`. */
function imageName(reference: string): string {
  return reference.replace(/@.*$/s, '').replace(/^.*\//s, '').replace(/:.*$/s, '').toLowerCase();
}
