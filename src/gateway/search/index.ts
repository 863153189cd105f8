/** Ranked search over the tools of all servers: names first (`names.ts`), then meaning (`rank.ts`). */
import { findTools, type SearchOptions, type SearchResult } from './find.ts';
import { ToolStore } from './snapshot.ts';
import type { IndexedTool } from './tool.ts';

export type { SearchOptions, SearchResult } from './find.ts';
export { parametersOf } from './parameters.ts';
export type { NearServer } from './servers.ts';
export type { IndexedTool } from './tool.ts';

export interface ToolIndex {
  readonly size: number;
  search(query: string, options: SearchOptions): SearchResult;
  /** Does ahead what the first search after a change would have to. */
  prepare(): void;
  /** Takes the place of all tools that the server had; no tools takes the server out. Their texts are read, and not kept. */
  replaceServer(server: string, tools: readonly IndexedTool[]): void;
}

export function createToolIndex(tools: readonly IndexedTool[]): ToolIndex {
  const store = new ToolStore();
  for (const [server, own] of Map.groupBy(tools, (tool) => tool.server)) store.replace(server, own);
  return {
    get size() {
      return store.size;
    },
    search: (query, options) => findTools(store.snapshot(), query, options),
    prepare: () => void store.snapshot(),
    replaceServer(server, own) {
      const stranger = own.find((tool) => tool.server !== server);
      if (stranger !== undefined) {
        throw new TypeError(`Tool "${stranger.name}" is of server "${stranger.server}", not of "${server}"`);
      }
      store.replace(server, own);
    },
  };
}
