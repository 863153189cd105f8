/** A config file's text → its value, by the ending of its name. Anything but TOML and YAML is read as JSON. */
import { parseJson } from './json.ts';
import { type ParsedText, TextError } from './parsed-text.ts';
import { parseToml } from './toml.ts';
import { parseYaml } from './yaml.ts';

/** Throws a `TextError` for whatever the parsers cannot make sense of. */
export function parseText(text: string, fileName: string): ParsedText {
  const parse = parserFor(fileName);
  try {
    return parse(text);
  } catch (cause) {
    if (cause instanceof TextError) throw cause;
    // The parsers recurse, so depth ends in a full stack; aliases that multiply end in a ReferenceError.
    throw new TextError('Nested too deeply, or with too many references', undefined, { cause });
  }
}

function parserFor(fileName: string): (text: string) => ParsedText {
  if (/\.toml$/i.test(fileName)) return parseToml;
  if (/\.ya?ml$/i.test(fileName)) return parseYaml;
  return parseJson;
}
