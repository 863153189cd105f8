/**
 * A tool's result as the value that a program gets.
 *
 * Structured content wins. Otherwise one block is a value and several are a list, in order: text that is a JSON object
 * or array is that, other text is text, images and their like are bytes with a type. Everything here is a stranger's, so
 * a block that is not as it should be is given as it is rather than refused.
 */
import type { ResourceLink, ToolResult, ToolValue } from '#contracts/tool';

type Fields = Readonly<Record<string, unknown>>;

const UNKNOWN_TYPE = 'application/octet-stream';

export function toolValue({ structuredContent, content }: ToolResult): ToolValue {
  if (structuredContent !== undefined) return { kind: 'json', value: structuredContent };
  const [first, ...rest] = content.map(blockValue);
  if (first === undefined) return { kind: 'none' };
  return rest.length === 0 ? first : { kind: 'list', items: [first, ...rest] };
}

/** What a failed tool says about its failure. */
export function failureText({ structuredContent, content }: ToolResult): string {
  const texts = content.flatMap((block) => (isFields(block) && typeof block.text === 'string' ? [block.text] : []));
  const text = texts.join('\n').trim();
  if (text !== '') return text;
  return structuredContent === undefined ? 'The tool failed and gave no reason' : JSON.stringify(structuredContent);
}

function blockValue(block: unknown): ToolValue {
  if (!isFields(block)) return { kind: 'json', value: block };
  switch (block.type) {
    case 'text':
      return typeof block.text === 'string' ? textValue(block.text) : { kind: 'json', value: block };
    case 'image':
    case 'audio':
      return binaryValue(block, block.data, block.mimeType);
    case 'resource':
      return isFields(block.resource) ? resourceValue(block.resource) : { kind: 'json', value: block };
    case 'resource_link':
      return typeof block.uri === 'string' ? linkValue(block, block.uri) : { kind: 'json', value: block };
    default:
      return { kind: 'json', value: block };
  }
}

/** The contents of a resource, embedded in a result or read by its address. */
export function resourceValue(contents: Fields): ToolValue {
  return typeof contents.text === 'string'
    ? textValue(contents.text)
    : binaryValue(contents, contents.blob, contents.mimeType);
}

function textValue(text: string): ToolValue {
  const parsed = parseCompound(text);
  return parsed === undefined ? { kind: 'text', text } : { kind: 'json', value: parsed, text };
}

/** Undefined unless the text is a JSON object or array: `12` and `true` are text as often as not. */
function parseCompound(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined; // it only began like JSON
  }
}

function binaryValue(block: Fields, base64: unknown, mimeType: unknown): ToolValue {
  if (typeof base64 !== 'string') return { kind: 'json', value: block };
  return { kind: 'binary', base64, mimeType: typeof mimeType === 'string' ? mimeType : UNKNOWN_TYPE };
}

function linkValue(block: Fields, uri: string): ToolValue {
  const named = ['name', 'title', 'description', 'mimeType'].flatMap((key) =>
    typeof block[key] === 'string' ? [[key, block[key]]] : [],
  );
  return { kind: 'link', link: { uri, ...Object.fromEntries(named) } satisfies ResourceLink };
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
