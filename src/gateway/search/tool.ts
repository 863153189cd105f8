/** A tool as the search sees it. */
export interface IndexedTool {
  readonly server: string;
  /** Taken from the first tool of a server that has one. */
  readonly serverDescription?: string | undefined;
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly parameters?: readonly IndexedParameter[] | undefined;
}

export interface IndexedParameter {
  readonly name: string;
  readonly description?: string | undefined;
}
