/** An MCP client is data: where its config files are, and how they describe servers. */
import type { Place } from './place.ts';

export interface ClientDefinition {
  /** What lists and errors call it in short. */
  readonly id: string;
  readonly name: string;
  /** The user's files, strongest first. In a step `*` stands for any text, and `{a,b}` at its end for one of these. */
  readonly userFiles: (place: Place) => readonly string[];
  /** Files below a project's folder, with `/`, strongest first; `*` and `{a,b}` as above. */
  readonly projectFiles: readonly string[];
  readonly shape: ConfigShape;
  /** For files that hold much more than servers. */
  readonly bytesMax?: number;
}

export type KeyPath = readonly string[];

/** A value of a config file that has keys. */
export type Fields = Readonly<Record<string, unknown>>;

/** How a file describes servers. One reader knows the words of all clients; this says what it cannot see by itself. */
export interface ConfigShape {
  /** Keys that lead to the servers: a map by name or a list. All that exist count, earlier ones are stronger. */
  readonly serversAt: readonly KeyPath[];
  /** Where servers are in places that keys cannot name; they come before those of `serversAt`. */
  readonly sections?: (root: Fields, project: ProjectPlace | undefined) => readonly Section[];
  /**
   * A file of no client in particular: its root may be a map of servers, or one server that has the file's name, and
   * its description stands for those that have none.
   */
  readonly isLoose?: boolean;
  /** A bare number in `timeout`. */
  readonly timeoutUnit?: 's' | 'ms';
  /** What a URL without a word about the transport means. */
  readonly bareUrl?: 'sse';
  /** References beside `${NAME}`, which all may use: `{env:NAME}` in braces, `$NAME` by dollar. */
  readonly references?: 'braces' | 'dollar';
  /** `tools` lists the tools that are shown. */
  readonly hasToolsList?: boolean;
  /** An empty list of tools means all of them. */
  readonly emptyMeansAll?: boolean;
  /** A command is a line with its arguments in it. */
  readonly splitsCommand?: boolean;
  /** Entries that are no servers of their own: built-in parts, switches for servers defined elsewhere. */
  readonly isNoServer?: (entry: unknown) => boolean;
  /** What the rest of the file says about a server. */
  readonly refine?: (root: Fields, name: string) => Refinement | undefined;
  /** `share`, `trusted` and entries that only say `disabled` are understood. */
  readonly isOwn?: boolean;
}

export interface Section {
  readonly at: KeyPath;
  /** `local` servers are the user's own, for one project. */
  readonly scope: 'user' | 'local';
  /** Whether the rest of the file switches a server off. */
  readonly isOff?: (name: string) => boolean;
}

export interface Refinement {
  readonly disabled?: boolean;
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

/** The project that a user works in, for files that speak about projects. */
export interface ProjectPlace {
  /** Its folder, and the same without links where that differs. */
  readonly folders: readonly string[];
  readonly home: string;
  readonly os: Place['os'];
}
