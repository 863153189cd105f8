/** The nouns of one run: what was asked, and what became of it. */

/** What a door asks the engine to run, after parsing. */
export interface RunRequest {
  /** Empty means: pick up the run that is going on or unread. */
  readonly code: string;
  /** As the caller wrote it; undefined or `auto` means: find out. */
  readonly language: string | undefined;
  /** Where the code came from, when it came from a file: its ending tells the language. */
  readonly fileName: string | undefined;
  readonly session: SessionRef;
  /** Undefined means the configured default. 0 with empty code interrupts. */
  readonly timeoutMs: number | undefined;
  readonly args: readonly string[];
  readonly stdin: string | undefined;
  readonly files: readonly InputFile[];
  /** Who asks, as they call themselves. */
  readonly caller: string;
}

/** `own` sessions belong to one door (an stdio connection, a CLI call) and end with it; named ones outlive it. */
export type SessionRef =
  | { readonly kind: 'named'; readonly name: string }
  | { readonly kind: 'own'; readonly key: string };

export interface InputFile {
  /** Relative to the workspace, with `/`. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

export type StopReason = 'timeout' | 'memory' | 'cpu' | 'disk' | 'output' | 'cancelled';

/** One stream of a run: its first and last bytes, and how many there were. */
export interface CapturedStream {
  /** The whole stream when `totalBytes` is not above what may be shown, else its beginning. */
  readonly head: Buffer;
  /** The end of a stream that is longer than what may be shown; empty otherwise. */
  readonly tail: Buffer;
  readonly totalBytes: number;
  /** Bytes past the kept maximum: counted, gone. */
  readonly droppedBytes: number;
  /** Where the value of the last expression begins in the stream; undefined when there is none. */
  readonly valueAt: number | undefined;
}

export interface RunImage {
  readonly mimeType: string;
  readonly data: Buffer;
}

export interface ChangedFile {
  /** Relative to the workspace. */
  readonly path: string;
  readonly bytes: number;
}

/** What became of one run. The program's own failure is an outcome, not an exception. */
export interface RunOutcome {
  readonly kind: 'finished' | 'running';
  readonly runId: string;
  /** The name the caller may use for the session. */
  readonly session: string;
  readonly backend: string;
  readonly language: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stop: StopReason | null;
  /** The program's own error in one line, where the interpreter told it. */
  readonly error: { readonly code: string; readonly message: string; readonly diagnostics?: string } | null;
  readonly durationMs: number;
  /** The wall clock that this run was given. */
  readonly timeoutMs: number;
  readonly peakMemoryBytes: number | null;
  readonly toolCalls: number;
  readonly tokensSaved: number;
  readonly stdout: CapturedStream;
  readonly stderr: CapturedStream;
  readonly images: readonly RunImage[];
  readonly files: readonly ChangedFile[];
  /** How many changed files there are beyond `files`. */
  readonly filesMore: number;
  /** What happened to the session: one short line each, without the label. */
  readonly sessionNotes: readonly string[];
  readonly hints: readonly string[];
}
