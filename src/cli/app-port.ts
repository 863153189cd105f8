/** What the commands need of the built application. `main.ts` hands them the builder. */
import type { Settings } from '#config/settings';
import type { EngineParts } from '#engine/parts';
import type { Logger } from '#observability/logger';

export interface App {
  readonly settings: Settings;
  readonly engine: EngineParts;
  readonly logger: Logger;
  readonly version: string;
  /** What works on this machine, for `doctor` and the capabilities resource. */
  examine(): Promise<MachineReport>;
  close(): Promise<void>;
}

export interface MachineReport {
  readonly version: string;
  readonly node: { readonly path: string; readonly version: string };
  readonly platform: string;
  readonly stateDir: string;
  readonly configFile: string;
  readonly walls: readonly WallReport[];
  /** The wall that `auto` takes; null when there is none. */
  readonly chosenWall: string | null;
  readonly runtimes: readonly RuntimeReport[];
  readonly limits: Readonly<Record<string, number>>;
}

export interface WallReport {
  readonly name: string;
  readonly works: boolean;
  readonly isolation: string;
  readonly details: readonly string[];
  readonly exceptions: readonly string[];
  readonly problem: string | null;
  readonly fix: string | null;
}

export interface RuntimeReport {
  readonly language: string;
  readonly ready: boolean;
  readonly version: string | null;
  readonly path: string | null;
  readonly fix: string | null;
}

export type AppBuilder = (settings: Settings, options: { warm: boolean }) => Promise<App>;

/** What a command gets: words behind it, flags, and the streams of the process. */
export interface CommandContext {
  readonly settings: () => Promise<Settings>;
  readonly build: AppBuilder;
  readonly version: string;
}
