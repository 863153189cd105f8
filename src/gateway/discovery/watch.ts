/**
 * Tells when the servers that can be found have changed.
 *
 * What has changed is not asked of the system, whose answers differ from one to the next: after a quiet moment
 * everything is looked for again, and compared. Nothing here keeps a process alive, and nothing polls.
 */
import { messageOf } from '#contracts/errors';
import { type Logger, silentLogger } from '#observability/logger';
import { type DiscoveryOptions, discoverServers, discoverySources } from './discover.ts';
import type { Discovery } from './discovery.ts';
import { FolderWatch } from './folder-watch.ts';
import { placesToWatch } from './watch-places.ts';

/** A save is several events, and some clients rewrite their file many times a second. */
const QUIET_MS = 150;
/** Of those that never are quiet, what there is by then counts. */
const WAIT_MS_MAX = 2_000;

export interface WatchOptions {
  /** What is known already; else the first look is what later ones are compared with. */
  readonly known?: Discovery | undefined;
  readonly quietMs?: number | undefined;
  readonly logger?: Logger | undefined;
}

export interface DiscoveryWatch {
  /** Fulfilled when changes are seen from then on; never rejected. */
  readonly ready: Promise<void>;
  /** Looks again at once, as after a project became trusted. */
  refresh(): Promise<void>;
  /** No change is told afterwards. */
  close(): void;
}

export function watchDiscovery(
  options: DiscoveryOptions,
  onChange: (discovery: Discovery) => void,
  watchOptions: WatchOptions = {},
): DiscoveryWatch {
  const watcher = new Watcher(options, onChange, watchOptions);
  return { ready: watcher.look(), refresh: () => watcher.look(), close: () => watcher.close() };
}

class Watcher {
  readonly #options: DiscoveryOptions;
  readonly #onChange: (discovery: Discovery) => void;
  readonly #quietMs: number;
  readonly #logger: Logger;
  readonly #folders: FolderWatch;
  #known: string | undefined;
  #last: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #firstEventAt: number | undefined;
  #isClosed = false;

  constructor(options: DiscoveryOptions, onChange: (discovery: Discovery) => void, watchOptions: WatchOptions) {
    this.#options = options;
    this.#onChange = onChange;
    this.#quietMs = watchOptions.quietMs ?? QUIET_MS;
    this.#logger = watchOptions.logger ?? silentLogger;
    this.#known = watchOptions.known && JSON.stringify(watchOptions.known);
    this.#folders = new FolderWatch(() => this.#lookSoon(), this.#logger);
  }

  /** One look at a time: a later one must not be overtaken by what an earlier one saw. */
  look(): Promise<void> {
    this.#last = this.#last
      .then(() => this.#lookNow())
      .catch((error) => this.#logger.error('Cannot look for servers', { reason: messageOf(error) }));
    return this.#last;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#folders.close();
  }

  async #lookNow(): Promise<void> {
    if (this.#isClosed) return;
    // Watching begins before the look, or what changes between the two would be missed.
    await this.#watchFolders();
    if (this.#isClosed) return;
    const discovery = await discoverServers(this.#options);
    const seen = JSON.stringify(discovery);
    const isChange = this.#known !== undefined && this.#known !== seen;
    this.#known = seen;
    if (isChange && !this.#isClosed) this.#onChange(discovery);
  }

  /** Until nothing was made or removed while the watches were set up; who keeps doing that is seen by events anyway. */
  async #watchFolders(): Promise<void> {
    for (let before = '', attempt = 0; attempt < 4; attempt++) {
      const also = (this.#options.alsoWatch ?? []).map((base) => ({ pattern: { base, steps: [] } }));
      const places = await placesToWatch([...(await discoverySources(this.#options)), ...also]);
      const folders = [...places.keys()].join('\n');
      if (this.#isClosed || folders === before) return;
      this.#folders.watch(places);
      before = folders;
    }
  }

  #lookSoon(): void {
    if (this.#isClosed) return;
    const now = performance.now();
    this.#firstEventAt ??= now;
    const waitMs = Math.min(this.#quietMs, Math.max(0, this.#firstEventAt + WAIT_MS_MAX - now));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#firstEventAt = undefined;
      void this.look();
    }, waitMs).unref();
  }
}
