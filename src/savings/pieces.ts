/** A text in pieces that a tokenizer is done with quickly: its time grows with the square of a word's length. */

const PIECE_CHARS = 500;

/** Cut before white space where there is some, since a token begins there; words without an end are cut anywhere. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + PIECE_CHARS, text.length);
    if (to < text.length) {
      const space = text.slice(from + PIECE_CHARS / 2, to).search(/\s\S*$/);
      if (space !== -1) to = from + PIECE_CHARS / 2 + space;
    }
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}
