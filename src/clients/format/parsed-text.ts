/** What the parsers of all formats give: the value, and where things stand in the text. */

/** Both count from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** A complaint about a file, in words that hold nothing of its text: that may be a secret. */
export interface TextProblem extends Partial<TextPlace> {
  readonly message: string;
}

export interface ParsedText {
  /** Undefined when the text holds nothing. */
  readonly value: unknown;
  /** Complaints that did not keep the text from being understood. */
  readonly problems: readonly TextProblem[];
  /** Where the value at these keys stands, or the nearest thing around it that can be told. */
  readonly locate: (keys: readonly (string | number)[]) => TextPlace | undefined;
}

export class TextError extends Error {
  override readonly name = 'TextError';
  readonly place: TextPlace | undefined;

  constructor(message: string, place?: TextPlace, options?: ErrorOptions) {
    super(message, options);
    this.place = place;
  }
}

export function placeAt(text: string, offset: number): TextPlace {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

export function repeatedKey(key: string, place: TextPlace): TextProblem {
  return { message: `"${key}" is there twice; the last one counts`, ...place };
}
