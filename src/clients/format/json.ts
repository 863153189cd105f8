/** JSON as people write it: comments and trailing commas are fine everywhere, whatever the client says about them. */
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { type ParsedText, placeAt, repeatedKey, TextError, type TextPlace, type TextProblem } from './parsed-text.ts';

/** Past this a file is mostly history, and the exact parser would take longer than its better complaints are worth. */
const EXACT_CHARS_MAX = 256 * 1024;

const COMPLAINTS: Readonly<Record<string, string>> = {
  InvalidSymbol: 'a word that JSON does not know',
  InvalidNumberFormat: 'a number that JSON does not know',
  PropertyNameExpected: 'a name in double quotes is missing',
  ValueExpected: 'a value is missing',
  ColonExpected: 'a colon is missing',
  CommaExpected: 'a comma is missing',
  CloseBraceExpected: 'a closing brace is missing',
  CloseBracketExpected: 'a closing bracket is missing',
  EndOfFileExpected: 'something follows the end of the value',
  UnexpectedEndOfComment: 'a comment has no end',
  UnexpectedEndOfString: 'a text has no closing quote',
  UnexpectedEndOfNumber: 'a number is not finished',
  InvalidUnicode: 'a wrong \\u escape',
  InvalidEscapeCharacter: 'a wrong escape',
  InvalidCharacter: 'a character that may not stand in a text',
};

export function parseJson(text: string): ParsedText {
  return (text.length > EXACT_CHARS_MAX ? parseLong(text) : undefined) ?? parseExactly(text);
}

function parseLong(text: string): ParsedText | undefined {
  try {
    return { value: JSON.parse(text), problems: [], locate: () => undefined };
  } catch {
    return undefined; // comments, or a mistake that the exact parser will place
  }
}

function parseExactly(text: string): ParsedText {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [error] = errors;
  if (error) {
    const complaint = COMPLAINTS[printParseErrorCode(error.error)] ?? 'a mistake';
    throw new TextError(`Not JSON: ${complaint}`, placeAt(text, error.offset));
  }
  const problems: TextProblem[] = [];
  return {
    value: root && plainValue(root, text, problems),
    problems,
    locate: (keys) => root && locate(root, keys, text),
  };
}

function plainValue(node: Node, text: string, problems: TextProblem[]): unknown {
  if (node.type === 'array') return (node.children ?? []).map((child) => plainValue(child, text, problems));
  if (node.type !== 'object') return node.value;
  const fields = new Map<string, unknown>();
  for (const { children } of node.children ?? []) {
    const [key, value] = children as [Node, Node];
    if (fields.has(key.value)) problems.push(repeatedKey(key.value, placeAt(text, key.offset)));
    fields.set(key.value, plainValue(value, text, problems));
  }
  // Defines every key as the object's own, `__proto__` too; an assignment would not.
  return Object.fromEntries(fields);
}

function locate(root: Node, keys: readonly (string | number)[], text: string): TextPlace {
  let node = root;
  let offset = root.offset;
  for (const key of keys) {
    const children: readonly Node[] = node.children ?? [];
    const property = children.findLast((child) => child.children?.[0]?.value === key);
    const next = typeof key === 'number' ? children[key] : property?.children?.[1];
    if (next === undefined) break;
    offset = property?.offset ?? next.offset;
    node = next;
  }
  return placeAt(text, offset);
}
