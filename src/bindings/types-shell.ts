/** Signatures as a command line: `mcp call github create_issue title=STR [body=STR]`. */
import type { Field, SchemaType } from './schema-type.ts';
import type { TypeStyle } from './signature.ts';

export const SHELL: TypeStyle = {
  type: (type) => word(type),
  parameter: (field) => (field.isRequired ? pair(field) : `[${pair(field)}]`),
  call: (server, tool, parameters) => ['mcp call', quoted(server), quoted(tool), ...parameters].join(' '),
  result: () => '',
  comment: '  # ',
  more: '[…]',
};

function pair({ name, type }: Field): string {
  const isText = type.kind === 'string' || type.kind === 'literals';
  // A value that is no text is written as JSON.
  return `${quoted(name)}${isText ? '=' : ':='}${word(type)}`;
}

function word(type: SchemaType): string {
  switch (type.kind) {
    case 'literals':
      return type.values.map((value) => quoted(String(value))).join('|');
    case 'string':
      return 'TEXT';
    case 'array':
    case 'tuple':
      return '[…]';
    case 'object':
      return '{…}';
    case 'union':
      return [...new Set(type.members.map(word))].join('|');
    default:
      return type.kind.toUpperCase();
  }
}

/** As one word of a shell, whatever is in it. */
function quoted(text: string): string {
  if (/^[\w@%+:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll(/[\r\n]+/g, ' ').replaceAll("'", "'\\''")}'`;
}
