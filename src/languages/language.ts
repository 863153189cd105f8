/** A language is data: what it is called, how its files end, who runs it, and how it is had where it is missing. */
export type LanguageDefinition = LiveLanguage | CommandLanguage;

interface LanguageNames {
  /** What answers and `_meta` call it. */
  readonly id: string;
  readonly name: string;
  /** Other names that callers, editors and Markdown fences use, in lower case. */
  readonly aliases: readonly string[];
  /** File endings, with the dot. */
  readonly extensions: readonly string[];
  /** Programs that a `#!` line may name. */
  readonly shebangs: readonly string[];
}

export interface LiveLanguage extends LanguageNames {
  /** The live interpreter that keeps this language's state; languages that share one share their variables. */
  readonly interpreter: 'python' | 'javascript' | 'bash';
}

/** Each run is a program of its own: compiled where needed, started, ended. */
export interface CommandLanguage extends LanguageNames {
  readonly interpreter: 'command';
  readonly entry: EntryFile;
  /** In the order of preference; the first that is there is used. */
  readonly runtimes: readonly CommandRuntime[];
  /** Endings of files that go to the compiler with the program. */
  readonly sources?: readonly string[];
  /** Whether only those beside the program do. */
  readonly sourcesBeside?: true;
  /** Endings of other files that a change of makes a new program (headers, modules). */
  readonly included?: readonly string[];
  /** Values for `{name}` in words that depend on the program's text. */
  readonly names?: Readonly<Record<string, NameRule>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Lines that its tools print without being asked: regular expressions for whole lines. */
  readonly noise?: readonly string[];
  /** How its tools tell the place of an error, where the common forms (`diagnostics.ts`) do not fit. */
  readonly diagnostics?: readonly string[];
  /** A check has failed when its output has this, whatever its exit code. */
  readonly checkFailure?: string;
  readonly install: InstallHints;
  /** Systems (`process.platform`) on which alone it exists. */
  readonly platforms?: readonly string[];
  /** Languages that may do instead, nearest first. */
  readonly similar: readonly string[];
  /** What the language, as it is run here, cannot do. The conformance suite checks that it is still so. */
  readonly lacks?: readonly Lack[];
}

export type Lack =
  | 'args'
  | 'stdin'
  | 'exit-code'
  | 'stderr'
  | 'files'
  | 'check'
  | 'error-line'
  | 'endless-loop'
  | 'modules'
  | 'double-dash';

/** The file that the program is written to in the workspace, for the time of the run. */
export interface EntryFile {
  readonly file: string;
  /** Where the language asks for a certain name (a Java class): how the name is found, without the ending. */
  readonly stem?: NameRule;
}

/** The first pattern that matches the program's text gives the value: its first group, or `use` (with `$1` for the group). */
export interface NameRule {
  readonly find: readonly string[];
  readonly use?: string;
  readonly otherwise: string;
  readonly lowerCase?: true;
}

/**
 * The words of a step. `{args}`, `{sources}` (the program first) and `{others}` (without it) are words of their own; `{entry}`,
 * `{stem}`, `{out}` (the folder of the result), `{tool}`, `{tools}` (our own files for languages, `src/inside/command/tools`), `{heap}` (MiB of memory that a runtime may plan with) and the
 * language's own names may stand inside a word. There is no shell.
 */
export type Words = readonly string[];

export interface CommandRuntime {
  /** Programs that must be there; the first is `{tool}`. */
  readonly tools: readonly string[];
  /** Files that must be there too. */
  readonly files?: readonly string[];
  readonly version: VersionProbe;
  readonly compile?: readonly Words[];
  /** Whether the compiler leaves files beside its sources, so that it gets copies of them in `{out}`. */
  readonly copies?: true;
  readonly run: Words;
  /** Without it, a check compiles. */
  readonly check?: readonly Words[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface VersionProbe {
  readonly ask: readonly string[];
  /** For tools that read what to do from standard input. */
  readonly input?: string;
  /** Where the version is in the answer, when it is not the first thing that looks like one. */
  readonly find?: string;
}

/** Names of packages per package manager; `other` is a sentence. */
export interface InstallHints {
  readonly apt?: string;
  readonly brew?: string;
  readonly dnf?: string;
  readonly apk?: string;
  readonly winget?: string;
  readonly npm?: string;
  readonly other?: string;
}
