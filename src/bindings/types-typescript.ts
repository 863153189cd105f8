/** Types and signatures in the words of TypeScript. Texts of strangers get in only as quoted literals and plain names. */
import { identifierOf } from './names.ts';
import type { Field, SchemaType } from './schema-type.ts';
import type { TypeStyle } from './signature.ts';

const PLAIN: Readonly<Record<string, string>> = {
  any: 'unknown',
  null: 'null',
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
};

export const TYPESCRIPT: TypeStyle = {
  type: typeText,
  parameter: (field, depth) => fieldText(field, depth),
  call(server, tool, parameters) {
    const given = parameters.length === 0 ? '' : `{ ${parameters.join(', ')} }`;
    return `mcp${access(server)}${access(tool)}(${given})`;
  },
  result: (type, depth) => `: Promise<${typeText(type, depth)}>`,
  comment: '  // ',
  more: '…',
};

function access(name: string): string {
  return isPlain(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

/** Any word may stand behind a dot. */
function isPlain(name: string): boolean {
  return identifierOf(name) === name || identifierOf(name) === `${name}_`;
}

function fieldText({ name, type, isRequired }: Field, depth: number): string {
  return `${isPlain(name) ? name : JSON.stringify(name)}${isRequired ? '' : '?'}: ${typeText(type, depth)}`;
}

function typeText(type: SchemaType, depth: number): string {
  switch (type.kind) {
    case 'literals':
      return type.values.map((value) => JSON.stringify(value)).join(' | ');
    case 'array':
      return arrayText(type.items, depth);
    case 'tuple':
      return `[${type.items.map((item) => typeText(item, depth)).join(', ')}]`;
    case 'object':
      return objectText(type.fields, type.others, depth);
    case 'union':
      return [...new Set(type.members.map((member) => typeText(member, depth)))].join(' | ');
    case 'again':
      return identifierOf(type.name);
    default:
      return PLAIN[type.kind] ?? 'unknown';
  }
}

function arrayText(items: SchemaType, depth: number): string {
  const text = typeText(items, depth);
  const isCompound = items.kind === 'union' || (items.kind === 'literals' && items.values.length > 1);
  return isCompound ? `(${text})[]` : `${text}[]`;
}

function objectText(fields: readonly Field[], others: SchemaType | undefined, depth: number): string {
  if (fields.length === 0) {
    return others && others.kind !== 'any' ? `Record<string, ${typeText(others, depth)}>` : 'object';
  }
  return depth <= 0 ? 'object' : `{ ${fields.map((field) => fieldText(field, depth - 1)).join('; ')} }`;
}
