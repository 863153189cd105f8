/** The nouns of finding servers: what was found, where, and what kept the rest from being used. */
import type { ServerEntry } from '#clients/entry';

/** `own`: our config; `variable`: the file that a variable names; `folder`: `~/MCPs` and its like; the rest are clients'. */
export type SourceScope = 'own' | 'variable' | 'folder' | 'user' | 'local' | 'project';

export interface ServerSource {
  /** The client's id; `sallyport` for our own config, `mcp` for files of no client. */
  readonly client: string;
  readonly file: string;
  readonly scope: SourceScope;
}

export interface DiscoveredServer {
  readonly name: string;
  /** With every reference that could be resolved put in. Its texts may be secret. */
  readonly entry: ServerEntry;
  readonly source: ServerSource;
  readonly state: 'ready' | 'disabled' | 'needs-input';
  /** What is missing before the server can be started; empty unless the state says so. */
  readonly needs: readonly Need[];
  /** What must never be shown, and the name to show instead. */
  readonly secrets: readonly Secret[];
  /** Changes when what the file says about how to reach the server does; the same for the same words. */
  readonly fingerprint: string;
}

/** A reference that nothing resolves. */
export interface Need {
  readonly kind: 'input' | 'variable' | 'file' | 'unknown';
  /** The id of the input, the name of the variable, the path of the file, or the reference as written. */
  readonly id: string;
  readonly description?: string;
  readonly isSecret: boolean;
  /** The answers to choose from; empty where any text will do. */
  readonly options: readonly string[];
}

export interface Secret {
  readonly name: string;
  readonly value: string;
}

export interface DiscoveryProblem {
  readonly file: string;
  /** From 1, where the place can be told. */
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
}

/** A server that does not count, because another one that was found before is the same. */
export interface ShadowedServer {
  readonly name: string;
  readonly source: ServerSource;
  readonly by: { readonly name: string; readonly source: ServerSource };
  readonly reason: 'same-name' | 'same-definition';
}

/** A server that is left out on purpose. */
export interface SkippedServer {
  readonly name: string;
  readonly source: ServerSource;
  readonly reason: string;
}

export interface Discovery {
  /** Strongest source first, in the order of the file. No name is there twice. */
  readonly servers: readonly DiscoveredServer[];
  readonly problems: readonly DiscoveryProblem[];
  readonly shadowed: readonly ShadowedServer[];
  readonly skipped: readonly SkippedServer[];
  /** The servers whose state is `needs-input`. */
  readonly needsInput: readonly DiscoveredServer[];
  /** Config files of the project that are left alone as long as nobody trusts it. */
  readonly untrusted: readonly string[];
}
