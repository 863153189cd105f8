import { parse, TomlError } from 'smol-toml';
import { type ParsedText, TextError, type TextPlace } from './parsed-text.ts';

export function parseToml(text: string): ParsedText {
  try {
    return { value: parse(text), problems: [], locate: (keys) => locate(text, keys) };
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    // Only the first line: after it the library quotes the text, and that may be a secret.
    const [complaint = ''] = cause.message.split('\n');
    const message = complaint.replace(/^Invalid TOML document: /, '');
    throw new TextError(`Not TOML: ${message}`, { line: cause.line, column: cause.column }, { cause });
  }
}

/** The header of the table that the first two keys name. The parser keeps no places, and headers are how people write. */
function locate(text: string, keys: readonly (string | number)[]): TextPlace | undefined {
  const [table, name] = keys;
  const headers = name === undefined ? [`[${table}]`, `[${table}.`] : [`[${table}.${name}]`, `[${table}."${name}"]`];
  const lines = text.split('\n').map((line) => line.trim());
  const index = lines.findIndex((line) => headers.some((header) => line.startsWith(header)));
  return index === -1 ? undefined : { line: index + 1, column: 1 };
}
