/** Words on a terminal: colours only where a person looks, tables that line up. */
import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Plain text where the stream is no terminal or the person wants none (NO_COLOR is honoured by styleText). */
export function paint(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return styleText(style, text, { stream, validateStream: true });
}

export function table(rows: ReadonlyArray<readonly string[]>): string {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, visibleLength(cell));
    });
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === row.length - 1 ? cell : cell + ' '.repeat((widths[column] ?? 0) - visibleLength(cell)),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function visibleLength(text: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with the escape character
  return text.replace(/\u001b\[[0-9;]*m/g, '').length;
}

/** Writes everything before going on: a process that exits at once must not lose its last words in a pipe. */
export function writeAll(stream: NodeJS.WriteStream, text: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => stream.write(text, () => resolve()));
}
