/** Tools of upstream servers: what is known of one, and what a call gives back. */

/** As the upstream wrote it: a stranger's text, never to be run or put into code. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface ToolInfo {
  readonly server: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: ToolAnnotations;
}

/** What a server says about its tool. Absent is not "no": the server did not say. */
export interface ToolAnnotations {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** The whole result of a call, as the server sent it. */
export interface ToolResult {
  readonly content: readonly unknown[];
  /** Any JSON value; undefined means that there is none. */
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly [key: string]: unknown;
}

/** What a program gets for a result. */
export type ToolValue =
  | { readonly kind: 'none' }
  /** `text` is what the value was read from: it may hold numbers that JavaScript cannot. */
  | { readonly kind: 'json'; readonly value: unknown; readonly text?: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'binary'; readonly mimeType: string; readonly base64: string }
  | { readonly kind: 'link'; readonly link: ResourceLink }
  | { readonly kind: 'list'; readonly items: readonly ToolValue[] };

/** Something that the upstream's `resources/read` gives. */
export interface ResourceLink {
  readonly uri: string;
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

export interface ToolReply {
  readonly result: ToolResult;
  readonly value: ToolValue;
}

export interface ToolProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}
