/** A language is data: what it is called, how its files end, and who runs it. */
export interface LanguageDefinition {
  /** What answers and `_meta` call it. */
  readonly id: string;
  readonly name: string;
  /** Other names that callers, editors and Markdown fences use, in lower case. */
  readonly aliases: readonly string[];
  /** File endings, with the dot. */
  readonly extensions: readonly string[];
  /** Programs that a `#!` line may name. */
  readonly shebangs: readonly string[];
  /** The live interpreter that keeps this language's state; languages that share one share their variables. */
  readonly interpreter: 'python' | 'javascript' | 'bash';
}
