/** A config file's text → its value, by the ending of its name. Anything but TOML and YAML is read as JSON. */
import { parseJson } from './json.ts';
import { type ParsedText, TextError } from './parsed-text.ts';

/** Throws a `TextError` for whatever the parsers cannot make sense of. */
export async function parseText(text: string, fileName: string): Promise<ParsedText> {
  const parse = await parserFor(fileName);
  try {
    return parse(text);
  } catch (cause) {
    if (cause instanceof TextError) throw cause;
    // The parsers recurse, so depth ends in a full stack; aliases that multiply end in a ReferenceError.
    throw new TextError('Nested too deeply, or with too many references', undefined, { cause });
  }
}

/** Most people have neither TOML nor YAML, and every start would pay for reading the parsers. */
async function parserFor(fileName: string): Promise<(text: string) => ParsedText> {
  if (/\.toml$/i.test(fileName)) return (await import('./toml.ts')).parseToml;
  if (/\.ya?ml$/i.test(fileName)) return (await import('./yaml.ts')).parseYaml;
  return parseJson;
}
