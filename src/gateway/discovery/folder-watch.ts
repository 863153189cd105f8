/** Watches a changing set of folders for some of the names in them. */
import { type FSWatcher, type Stats, statSync, watch } from 'node:fs';
import { basename } from 'node:path';
import { errnoOf } from '#contracts/errors';
import type { Logger } from '#observability/logger';
import { nameTest } from './match-files.ts';
import type { WatchPlaces } from './watch-places.ts';

interface Watched {
  readonly watcher: FSWatcher;
  /** The very folder that is watched; another one may have its name by now. */
  readonly inode: number;
  isWanted: (name: string) => boolean;
}

export class FolderWatch {
  readonly #onEvent: () => void;
  readonly #logger: Logger;
  readonly #watched = new Map<string, Watched>();

  constructor(onEvent: () => void, logger: Logger) {
    this.#onEvent = onEvent;
    this.#logger = logger;
  }

  /** From now on exactly these. */
  watch(places: WatchPlaces): void {
    for (const [folder, { inode }] of this.#watched) {
      if (!places.has(folder) || folderInfo(folder)?.ino !== inode) this.#drop(folder);
    }
    for (const [folder, names] of places) {
      const tests = [...names].map(nameTest);
      const isWanted = (name: string) => tests.some((test) => test(name));
      const known = this.#watched.get(folder);
      if (known) known.isWanted = isWanted;
      else this.#add(folder, isWanted);
    }
  }

  close(): void {
    for (const folder of [...this.#watched.keys()]) this.#drop(folder);
  }

  #add(folder: string, isWanted: (name: string) => boolean): void {
    const info = folderInfo(folder);
    if (info === undefined) return this.#onEvent(); // went away since it was chosen: choose again
    try {
      const watcher = watch(folder, { persistent: false });
      const watched: Watched = { watcher, inode: info.ino, isWanted };
      watcher.on('change', (_, name) => this.#noticed(folder, watched, name));
      // A folder that is removed ends its watch with an error on some systems.
      watcher.on('error', () => {
        if (this.#watched.get(folder) === watched) this.#drop(folder);
        this.#onEvent();
      });
      this.#watched.set(folder, watched);
    } catch (error) {
      // The system has only so many watches. Without this one a change is seen at the next start.
      this.#logger.warn('Cannot watch a folder for changes', { folder, reason: errnoOf(error) });
    }
  }

  #noticed(folder: string, watched: Watched, name: string | Buffer | null): void {
    // Without a name, or with the folder's own, it may be the folder that went away.
    if (name === null || String(name) === basename(folder) || watched.isWanted(String(name))) this.#onEvent();
  }

  #drop(folder: string): void {
    this.#watched.get(folder)?.watcher.close();
    this.#watched.delete(folder);
  }
}

function folderInfo(folder: string): Stats | undefined {
  try {
    return statSync(folder, { throwIfNoEntry: false });
  } catch {
    return undefined; // above it somebody took the right to look: as good as gone
  }
}
