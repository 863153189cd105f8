/** Types and signatures in the words of Python. Texts of strangers get in only as quoted literals and plain names. */
import { identifierOf } from './names.ts';
import type { Field, SchemaType } from './schema-type.ts';
import type { TypeStyle } from './signature.ts';

const PLAIN: Readonly<Record<string, string>> = {
  any: 'Any',
  null: 'None',
  string: 'str',
  number: 'float',
  integer: 'int',
  boolean: 'bool',
};

export const PYTHON: TypeStyle = {
  type: typeText,
  parameter(field, depth) {
    const name = identifierOf(field.name);
    const type = typeText(field.type, depth);
    if (field.isRequired) return `${name}: ${type}`;
    return `${name}: ${type} = ${field.default === undefined ? 'None' : valueText(field.default)}`;
  },
  call: (server, tool, parameters) => `mcp${access(server)}${access(tool)}(${parameters.join(', ')})`,
  result: (type, depth) => ` -> ${typeText(type, depth)}`,
  comment: '  # ',
  more: '…',
};

function access(name: string): string {
  return identifierOf(name) === name ? `.${name}` : `[${JSON.stringify(name)}]`;
}

function typeText(type: SchemaType, depth: number): string {
  switch (type.kind) {
    case 'literals':
      return `Literal[${type.values.map(valueText).join(', ')}]`;
    case 'array':
      return type.items.kind === 'any' ? 'list' : `list[${typeText(type.items, depth)}]`;
    case 'tuple':
      return `tuple[${type.items.map((item) => typeText(item, depth)).join(', ')}]`;
    case 'object':
      return objectText(type.fields, type.others, depth);
    case 'union':
      return [...new Set(type.members.map((member) => typeText(member, depth)))].join(' | ');
    case 'again':
      return identifierOf(type.name);
    default:
      return PLAIN[type.kind] ?? 'Any';
  }
}

/** As a dict is written: `{"path": str, "line"?: int}`. */
function objectText(fields: readonly Field[], others: SchemaType | undefined, depth: number): string {
  if (fields.length === 0) return others && others.kind !== 'any' ? `dict[str, ${typeText(others, depth)}]` : 'dict';
  if (depth <= 0) return 'dict';
  const parts = fields.map(
    ({ name, type, isRequired }) => `${JSON.stringify(name)}${isRequired ? '' : '?'}: ${typeText(type, depth - 1)}`,
  );
  return `{${parts.join(', ')}}`;
}

const NAMED = new Map<unknown, string>([
  [true, 'True'],
  [false, 'False'],
  [null, 'None'],
]);

function valueText(value: unknown): string {
  const text = NAMED.get(value) ?? JSON.stringify(value);
  return text.length > 40 ? '…' : text;
}
