/** What is known of an interpreter of this machine, and how it is asked for. */
import type { Logger } from '#observability/logger';
import type { InterpreterId } from './backend.ts';
import type { RuntimePrefix } from './runtime-prefixes.ts';

export interface Runtime {
  /** Path of the binary, on the host and behind the wall. */
  readonly binary: string;
  /** `Python 3.12.4`. */
  readonly version: string;
  /** Folders outside of the system's own that the runtime consists of: host folder and the path it must be seen at. */
  readonly prefixes: readonly RuntimePrefix[];
  /** Folders of programs that belong on PATH behind the wall; the binary's own where there are none. */
  readonly binFolders?: readonly string[];
}

export type RuntimeAnswer =
  | { readonly found: true; readonly runtime: Runtime }
  | { readonly found: false; readonly reason: string; readonly install: string };

export interface RuntimeFinder {
  /** Asks once; later calls get the same answer. */
  find(interpreter: InterpreterId): Promise<RuntimeAnswer>;
}

export interface RuntimeOptions {
  /** Sallyport's own Node, which runs JavaScript and TypeScript. */
  readonly node: string;
  /** The value of PATH. */
  readonly path: string;
  readonly home: string;
  /** Programs of languages that each run starts anew; they may lie outside of the system's folders. */
  readonly tools: readonly string[];
  /** From the configuration: language id → binary, or the folder of a virtual environment. */
  readonly overrides: Readonly<Record<string, string>>;
  readonly cacheDir: string;
  readonly logger: Logger;
}
