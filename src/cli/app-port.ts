/** What the commands need of the built application. `main.ts` hands them the builder. */
import type { Settings } from '#config/settings';
import type { LanguageReport } from '#engine/language-reports';
import type { EngineParts } from '#engine/parts';
import type { Logger } from '#observability/logger';

export interface App {
  readonly settings: Settings;
  readonly engine: EngineParts;
  readonly logger: Logger;
  readonly version: string;
  /** What works on this machine, for `doctor` and the capabilities resource. */
  examine(): Promise<MachineReport>;
  languages(): Promise<LanguageReport[]>;
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

export interface BenchFlags {
  readonly json: boolean;
  readonly clients: string | undefined;
  readonly minutes: string | undefined;
  readonly tools: string | undefined;
  readonly queries: string | undefined;
  readonly distractors: string | undefined;
  readonly samples: string | undefined;
  /** Languages, with commas. */
  readonly only: string | undefined;
}

/** What `main.ts` hands to the command line, which may not import it. */
export interface CommandParts {
  readonly build: AppBuilder;
  readonly version: string;
  readonly bench: (kind: string | undefined, flags: BenchFlags, settings: Settings) => Promise<number>;
}

export interface CommandContext extends CommandParts {
  /** Read when a command needs them, so that --help works with a broken config. */
  readonly settings: () => Promise<Settings>;
}
